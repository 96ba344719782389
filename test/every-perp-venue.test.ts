import { FlowView, viewOfVenue } from '@crosstape/simulator';
import { venues } from '@crosstape/venues';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coinsOfVenues } from './world-coins.ts';
import { World } from './world.ts';

const ids = venues.map(({ id }) => id);
const perpOf = new Map(venues.map(({ id, perp }) => [id, perp]));
/** Two spot venues say what a USDT is worth. */
const worldSources = [...ids, 'coinbase', 'kraken-spot'];
const everyVenue = `venues=${ids.join(',')}`;
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** A market where a USDT is worth 0.9921 dollars from five minutes after noon on. */
const SEED = 2734;
const AFTER_NOON_MS = 6 * MINUTE_MS;
/** What OKX's REST interface has is at least as old. */
const OKX_LAG_MS = 69 * MINUTE_MS;

let world: World;
let startMs: number;
/** Since then every feed is up. */
let readyMs: number;
beforeAll(async () => {
  world = await World.open({
    seed: SEED,
    afterNoonMs: AFTER_NOON_MS,
    coins: coinsOfVenues,
    rate: 0.2,
    stepMs: 250,
    askEveryMs: 1_000,
    sources: worldSources,
  });
  startMs = world.clock.now();
  const isComplete = async (): Promise<boolean> => {
    const answers = await Promise.all(
      ['oi', 'funding', 'volume'].map((path) => world.json(`/perps/${path}?coins=BTC,kPEPE&${everyVenue}`)),
    );
    return answers.every(({ body }) => body.data.length >= 2 * ids.length - 2);
  };
  await world.until(isComplete, 3 * MINUTE_MS);
  readyMs = world.clock.now();
});
afterAll(() => world.close());

interface Row {
  readonly coin: string;
  readonly venue: string;
  readonly [field: string]: unknown;
}

async function rows(path: string): Promise<readonly Row[]> {
  const { status, body } = await world.json(path);
  expect(status, path).toBe(200);
  return body.data as unknown as Row[];
}

/** What a venue closed by force. */
function forced(venue: string, coin: string, sinceMs: number, untilMs: number) {
  const view = viewOfVenue(world.simulator.market, venue);
  return (view?.coins ?? []).flatMap((one) =>
    one.name === coin ? (view?.liquidations(one, sinceMs, untilMs) ?? []) : [],
  );
}

type Forced = ReturnType<typeof forced>;

const usdOf = (deals: Forced): number => deals.reduce((sum, { price, size }) => sum + price * size, 0);

describe('every perpetual venue', () => {
  it('report the open interest of a coin in its own unit, whatever they count in', async () => {
    const { market } = world.simulator;
    for (const coin of ['BTC', 'ETH', 'kPEPE']) {
      const answer = await rows(`/perps/oi?coins=${coin}&${everyVenue}`);
      expect(answer.length, coin).toBeGreaterThanOrEqual(ids.length - 1);
      for (const { venue, oiUsd } of answer) {
        const view = viewOfVenue(market, venue);
        const nowMs = world.clock.now();
        const mark = (view ?? market).quote(coin, nowMs).mark;
        const held = (view ?? market).openInterest(coin, nowMs);
        const ratio = (oiUsd as number) / (held * mark);
        expect(Math.abs(ratio - 1), `${coin} on ${venue}`).toBeLessThan(0.03);
      }
    }
  });

  it('count coins where they report them, and only USD elsewhere', async () => {
    const answer = await rows(`/perps/oi?coins=kPEPE&${everyVenue}`);
    for (const { venue, oiUsd, oiCoin, oiContracts } of answer) {
      if (perpOf.get(venue)?.isOiUsdOnly) {
        expect([oiContracts, oiCoin]).toEqual([0, undefined]);
      } else {
        const price = (oiUsd as number) / (oiCoin as number);
        const mark = world.simulator.market.quote('kPEPE', world.clock.now()).mark;
        expect(Math.abs(price / mark - 1), venue).toBeLessThan(0.03);
      }
    }
  });

  it('convert what is in USDT by what a USDT is worth, and nothing else', async () => {
    const answer = await rows(`/perps/oi?coins=DOGE&${everyVenue}`);
    const quoteOf = new Map(answer.map(({ venue, quote }) => [venue, quote]));
    for (const venue of ['binance', 'bybit', 'okx'])
      expect([venue, quoteOf.get(venue)]).toEqual([venue, 'USDT']);
    for (const venue of ['hyperliquid', 'kraken', 'dydx'])
      expect([venue, quoteOf.get(venue)]).toEqual([venue, 'USD']);
    const dollars = new FlowView(world.simulator.market, 'BTC').spotTickers(world.clock.now());
    const tether = dollars.get('kraken-spot')?.find(({ coin }) => coin === 'USDT')?.last ?? Number.NaN;
    expect(tether).toBeLessThan(0.993);
    for (const { venue, coin, oiUsd, oiCoin, fetchedAt, quote, unconverted } of answer) {
      expect(unconverted, venue).toBeUndefined();
      if (oiCoin === undefined) continue;
      const market = viewOfVenue(world.simulator.market, venue) ?? world.simulator.market;
      const worth = (oiUsd as number) / ((oiCoin as number) * market.quote(coin, fetchedAt as number).mark);
      expect(Math.abs(worth - (quote === 'USDT' ? tether : 1)), venue).toBeLessThan(0.002);
    }
  });

  it('report the volume of a day in dollars, and in the unit of the primary venue where they count coins', async () => {
    for (const coin of ['BTC', 'kPEPE']) {
      const answer = await rows(`/perps/volume?coins=${coin}&${everyVenue}`);
      expect(answer.length, coin).toBeGreaterThanOrEqual(ids.length - 1);
      for (const { venue, volume24hUsd, volume24h, method } of answer) {
        const view = viewOfVenue(world.simulator.market, venue) ?? world.simulator.market;
        const traded = view.volume24h(coin, world.clock.now());
        const ratio = (volume24hUsd as number) / traded.usd;
        expect(Math.abs(ratio - 1), `${coin} on ${venue}`).toBeLessThan(0.05);
        expect(method, venue).toBe(venue === 'okx' ? 'lastPrice' : 'reported');
        if (venue === 'dydx') expect(volume24h).toBeNull();
        else
          expect(Math.abs((volume24h as number) / traded.coins - 1), `${coin} on ${venue}`).toBeLessThan(
            0.05,
          );
      }
    }
  });

  it('report funding with the true period of each', async () => {
    const path = `/perps/funding?coins=BTC,SOL,XRP&${everyVenue}`;
    // One of them reports periods contract by contract.
    await world.until(
      async () => (await world.json(path)).body.data.length === 3 * ids.length,
      3 * MINUTE_MS,
    );
    const answer = await rows(path);
    const nowMs = world.clock.now();
    for (const { coin, venue, rate, periodHours, native, nextFundingTs } of answer) {
      const view = viewOfVenue(world.simulator.market, venue);
      const truth = view?.funding(coin, nowMs);
      const own = native as { rate: number; periodHours: number };
      expect(own.periodHours, `${coin} on ${venue}`).toBe(truth?.periodHours ?? 1);
      expect(periodHours).toBe(perpOf.get(venue)?.fundingPeriodHours);
      expect(rate).toBeCloseTo((own.rate * (periodHours as number)) / own.periodHours, 12);
      if (truth) expect(Math.abs(own.rate - truth.rate), `${coin} on ${venue}`).toBeLessThan(2e-5);
      expect(nextFundingTs).toBeGreaterThan(nowMs);
    }
    expect(new Set(answer.map(({ venue }) => venue)).size).toBe(ids.length);
  });

  it('report how holders are positioned', async () => {
    const path = '/perps/positioning?coins=BTC,ETH&period=4h';
    await world.until(async () => (await world.json(path)).body.data.length === 6, MINUTE_MS);
    for (const { longFraction, longShortRatio } of await rows(path)) {
      const share = longFraction as number;
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThan(1);
      expect(longShortRatio).toBeCloseTo(share / (1 - share), 1);
    }
  });

  it('are requested all of it within their limits', () => {
    for (const id of worldSources) expect(world.simulator.violations[id], id).toEqual({});
  });

  it('have their liquidations counted once, on the right side, in dollars', async () => {
    const sides = ['sell', 'buy'] as const;
    const coins = world.simulator.market.coins.map(({ name }) => name);
    const onSide = (deals: Forced, side: string): Forced => deals.filter((deal) => deal.side === side);
    // These report everything while connected: the others at most one a second.
    const reportedBy = (coin: string, side: string, untilMs: number): number =>
      usdOf(
        ['bybit', 'bitget', 'gate'].flatMap((venue) => onSide(forced(venue, coin, readyMs, untilMs), side)),
      );
    const happened = (): number =>
      coins.flatMap((coin) => sides.filter((side) => reportedBy(coin, side, world.clock.now()) > 0)).length;
    while (happened() < 2) await world.run(MINUTE_MS);
    const untilMs = world.clock.now();
    await world.run(10_000);
    const answer = await rows('/perps/liquidations');
    for (const coin of coins) {
      const day = ids.flatMap((venue) => forced(venue, coin, untilMs - DAY_MS, world.clock.now()));
      const row = answer.find((one) => one.coin === coin);
      const measured = (row?.['measured'] ?? {}) as { longUsd?: number; shortUsd?: number };
      const inferred = (row?.['inferred'] ?? {}) as { longUsd?: number; shortUsd?: number };
      const counted = {
        sell: {
          measured: measured.longUsd ?? 0,
          inferred: inferred.longUsd ?? 0,
          all: row?.['long24hUsd'] ?? 0,
        },
        buy: {
          measured: measured.shortUsd ?? 0,
          inferred: inferred.shortUsd ?? 0,
          all: row?.['short24hUsd'] ?? 0,
        },
      };
      for (const side of sides) {
        const one = counted[side];
        // Some report what was before the start, some do not.
        const most = usdOf(onSide(day, side));
        expect(one.all, `${coin} ${side}`).toBeCloseTo(one.measured + one.inferred, 1);
        expect(one.measured, `${coin} ${side}`).toBeGreaterThanOrEqual(
          0.95 * reportedBy(coin, side, untilMs),
        );
        expect(one.measured, `${coin} ${side}`).toBeLessThanOrEqual(1.05 * most + 1);
      }
    }
  });

  it('have on OKX what was liquidated before the start as well, as far as its past reaches', async () => {
    const [fromMs, toMs] = [world.clock.now() - DAY_MS + MINUTE_MS, startMs - OKX_LAG_MS];
    const past = world.simulator.market.coins.flatMap(({ name }) => forced('okx', name, fromMs, toMs));
    expect(past.length).toBeGreaterThan(20);
    const events = await rows(`/perps/liquidations/events?venue=okx&limit=5000&start=${fromMs}&end=${toMs}`);
    const named = ({ coin, side, ts }: { coin: string; side?: unknown; ts?: unknown }): string =>
      `${coin} ${String(side)} ${Math.floor(Number(ts))}`;
    expect(events.map(named).toSorted()).toEqual(past.map(named).toSorted());
    const { body } = await world.json('/perps/liquidations');
    for (const coin of new Set(past.map((deal) => deal.coin))) {
      const { longUsd = 0, shortUsd = 0 } = (body.data.find((row) => row['coin'] === coin)?.['measured'] ??
        {}) as { longUsd?: number; shortUsd?: number };
      const usd = usdOf(past.filter((deal) => deal.coin === coin));
      // OKX counts in contracts, the smallest a few dollars, and in USDT.
      expect(longUsd + shortUsd, coin).toBeGreaterThan(0.98 * usd - 20);
    }
  });
});
