import { viewOfVenue } from '@crosstape/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from './world.ts';

const MINUTE_MS = 60_000;
/** A market where a USDT is worth 0.9921 dollars from five minutes after noon on. */
const SEED = 2734;
const AFTER_NOON_MS = 6 * MINUTE_MS;
const inTether = ['bybit', 'okx', 'binance'];
const inDollars = ['hyperliquid', 'kraken', 'dydx'];
const worldSources = [...inTether, ...inDollars.slice(1), 'binance-spot', 'coinbase', 'kraken-spot'];
const path = `/perps/oi?coins=DOGE&venues=${[...inTether, ...inDollars].join(',')}`;

interface Row {
  readonly coin: string;
  readonly venue: string;
  readonly oiUsd: number;
  readonly oiCoin: number;
  readonly fetchedAt: number;
  readonly quote: string;
  readonly unconverted?: boolean;
}

let world: World;
beforeAll(async () => {
  const options = { seed: SEED, rate: 0.2, stepMs: 100, afterNoonMs: AFTER_NOON_MS };
  world = await World.open({ ...options, sources: worldSources });
  await world.until(
    async () => (await rowsOf()).length === inTether.length + inDollars.length,
    5 * MINUTE_MS,
  );
  // So that open interest and the rate are of the same minute.
  await world.run(MINUTE_MS);
});
afterAll(() => world.close());

async function rowsOf(): Promise<readonly Row[]> {
  const { body } = await world.json(path);
  return (body.data ?? []) as unknown as readonly Row[];
}

async function tetherInDollars(): Promise<number> {
  const { body } = await world.meanwhile(world.json('/markets/spot?coins=BTC'));
  const rows = body.data as unknown as { venue: string; price: number; rawPrice: number }[];
  const { price = 0, rawPrice = 0 } = rows.find(({ venue }) => venue === 'binance') ?? {};
  return price / rawPrice;
}

it('open interest in USDT is worth what a USDT is worth', async () => {
  const rate = await tetherInDollars();
  expect(rate).toBeLessThan(0.993);
  const rows = await rowsOf();
  expect(rows.map(({ venue }) => venue)).toEqual(expect.arrayContaining([...inTether, ...inDollars]));
  for (const { venue, coin, oiUsd, oiCoin, fetchedAt, quote, unconverted } of rows) {
    const market = viewOfVenue(world.simulator.market, venue) ?? world.simulator.market;
    const worth = oiUsd / (oiCoin * market.quote(coin, fetchedAt).mark);
    const isTether = inTether.includes(venue);
    expect(quote, venue).toBe(isTether ? 'USDT' : 'USD');
    expect(unconverted, venue).toBeUndefined();
    expect(Math.abs(worth - (isTether ? rate : 1)), venue).toBeLessThan(0.002);
  }
});

it('an answer that uses the rate names its failing sources, others do not', async () => {
  for (const venue of ['kraken-spot', 'coinbase']) {
    world.simulator.faults.add({ venue, part: 'ws', fault: 'cut' });
    world.simulator.faults.add({ venue, part: 'ws', fault: 'refuse' });
    world.simulator.faults.add({ venue, part: 'rest', fault: 'status', status: 500 });
  }
  const failing = async (of: string): Promise<readonly string[]> => {
    const { body } = await world.json(`/perps/oi?coins=DOGE&venues=${of}`);
    const sources = (body.meta['sources'] ?? []) as readonly { readonly source: string }[];
    return sources.map(({ source }) => source.split(':')[0] as string);
  };
  await world.until(async () => (await failing('bybit')).length >= 2, 5 * MINUTE_MS);
  expect((await failing('bybit')).toSorted()).toEqual(['coinbase', 'kraken-spot']);
  expect(await failing('hyperliquid')).toEqual([]);
  const { body } = await world.json('/perps/oi?coins=DOGE&venues=bybit');
  expect(body.data).toMatchObject([{ quote: 'USDT' }]);
});
