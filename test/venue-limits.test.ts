import { liveContracts } from '@crosstape/simulator';
import { viewOfVenue } from '@crosstape/simulator';
import { expect, it } from 'vitest';
import { World } from './world.ts';

const MINUTE_MS = 60_000;
/** As many as one may ask for. */
const spotCoins = 'BTC,ETH,SOL,XRP,HYPE,DOGE,PEPE,SUI,ENA,ZEC,LINK,BNB,AVAX,BONK,ADA,AAVE,LTC,WLD,TAO,NEAR';
/** Those of the primary venue are the market's own. */
const { hyperliquid: _, ...contracts } = liveContracts;
const isLong = process.env['LONG'] !== undefined;
/**
 * Two that are polled one contract at a time, the aggregator, and what converts quotes; with `LONG=1`, all. That the
 * others keep their limits is part of the tests about them, with fewer contracts.
 */
const some = ['binance', 'mexc', 'coinalyze', 'coinbase', 'kraken-spot'];
/** By then everything has been reported once. */
const FULL_MINUTES = 4;
const minutes = isLong ? 60 : FULL_MINUTES;

it(`keeps every limit of ${isLong ? 'every venue' : 'venues'} over ${minutes} minutes of full operation, and leaves no contract out`, async () => {
  const flags = ['--coinalyze-api-key', 'any', '--backfill', '1h:365,1m:30'];
  const sources = isLong ? 'all' : some;
  const world = await World.open({ rate: 0.05, stepMs: 200, flags, contracts, sources });
  try {
    await world.until(() => world.isReady(), MINUTE_MS);
    // Everything that is fetched on demand is requested all the while.
    for (let minute = 1; minute <= minutes; minute += 1) {
      for (const period of ['15m', '1h', '4h']) void world.json(`/perps/positioning?period=${period}`);
      if (isLong) void world.json(`/markets/spot?coins=${spotCoins}`);
      void world.json('/perps/liquidations');
      await world.run(MINUTE_MS);
      if (minute % FULL_MINUTES === 0) await expectAllReported(world);
    }
    // Most venues have not been connected for a day, so that the aggregator is polled up to its limit.
    const { body } = await world.json('/perps/liquidations');
    expect(body.data.filter((row) => row['aggregated']).length).toBeGreaterThan(isLong ? 10 : 0);
    const violations = Object.entries(world.simulator.violations);
    expect(violations.length).toBeGreaterThanOrEqual(isLong ? 9 : some.length);
    for (const [venue, broken] of violations) expect(broken, venue).toEqual({});
  } finally {
    await world.close();
  }
}, 1_800_000);

/** The two venues that are polled one contract at a time cover all contracts, and none is old. */
async function expectAllReported(world: World): Promise<void> {
  const { body: oi } = await world.json('/perps/oi?venues=binance');
  expect(oi.data.length).toBeGreaterThanOrEqual(contracts.binance);
  expect(oi.data.filter(({ stale }) => stale)).toEqual([]);
  const coins = viewOfVenue(world.simulator.market, 'mexc')?.coins ?? [];
  const lastCopy = `${coins.at(-1)?.name}X${contracts.mexc - coins.length}`;
  const { body: funding } = await world.json(`/perps/funding?venues=mexc&coins=BTC,${lastCopy}`);
  expect(funding.data.map(({ coin, stale }) => [coin, stale])).toEqual([
    ['BTC', undefined],
    [lastCopy, undefined],
  ]);
}
