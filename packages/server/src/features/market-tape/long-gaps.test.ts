import { ManualClock, type MarketTrade, seededRandom, type Trade } from '@crosstape/core';
import { type TradeGap, type TradeRefill, venues } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { PastTradesClient, TRADES_MAX } from '../../ingest/past-trades-client.ts';
import { SourceFailure } from '../../ingest/source-failure.ts';
import { noJobs } from '../../ingest/testing/simulated-engine.ts';
import { VenueGate } from '../../ingest/venue-gate.ts';
import type { SourceMeter } from '../../ingest/venue-health.ts';
import { CoinTape } from '../tape/coin-tape.ts';
import type { Gap } from '../tape/gap-ledger.ts';
import { MarketTape } from './market-tape.ts';

/** Gaps with more pages than one turn requests, from a venue with ten trades per page, by id. */

const T = 1_790_000_000_000;
const ROWS = 10;
/** 600 pages, three times as many as one turn requests. */
const TRADES = 6_000;
const symbol = 'BTCUSDT';

const trade = (tid: number): MarketTrade => ({
  symbol,
  side: 'buy',
  price: 100,
  size: 1,
  venueTs: T + tid,
  tid,
});

/** Pages go to newer trades, or to older ones; the answer is the id that a page begins with. */
function refillOf(order: 'newestFirst' | 'oldestFirst', rows = ROWS): TradeRefill {
  const step = order === 'oldestFirst' ? 1 : -1;
  const request = (tid: number) => ({ method: 'GET', path: `/${tid}` }) as const;
  return {
    name: 'past-trades',
    weight: 0,
    reachMs: 86_400_000,
    rowsMax: rows,
    request: ({ afterTid = 0, beforeTid = 0 }) => request(step > 0 ? afterTid : beforeTid),
    parse(body, { afterTid = 0, beforeTid = 0 }) {
      const tids = Array.from({ length: rows }, (_, i) => (body as number) + step * i);
      const isEnd = tids.includes(step > 0 ? beforeTid : afterTid);
      return {
        trades: tids
          .filter((tid) => tid > afterTid && tid < beforeTid)
          .toSorted((a, b) => a - b)
          .map(trade),
        hasEdge: { after: tids.includes(afterTid), before: tids.includes(beforeTid) },
        covers: { fromMs: isEnd || step > 0 ? T + afterTid : T + tids.at(-1)! + 1, toMs: T + beforeTid },
        ...(!isEnd && { more: request(tids.at(-1)! + step) }),
      };
    },
  };
}

function open(
  order: 'newestFirst' | 'oldestFirst',
  fails: (requests: number) => boolean = () => false,
  rows = ROWS,
  trades = TRADES,
  pageAt: (path: string) => string = (path) => path,
) {
  const clock = new ManualClock(T + trades);
  const requested: number[] = [];
  const released: Trade[] = [];
  const gaps = new Map<number, Gap>();
  const asked: TradeGap[] = [];
  /** Trades of each answer. */
  const answers: number[] = [];
  const client = new PastTradesClient({
    venue: 'fake',
    clock,
    gate: new VenueGate({ connector: venues[0]!.connector!, clock, random: seededRandom(1) }),
    jobs: noJobs,
    warn: () => undefined,
    known: () => ({}) as never,
    openMeter: () =>
      ({ turn: () => {}, countGood: () => {}, countRefused: () => {} }) as unknown as SourceMeter,
    refill: refillOf(order, rows),
    client: {
      send: async ({ path }) => {
        requested.push(Number(path.slice(1)));
        if (fails(requested.length)) throw new SourceFailure('down', 'HTTP 500.');
        const body = new TextEncoder().encode(pageAt(path.slice(1)));
        return { body, receivedAtMs: clock.now(), ageMs: 0 };
      },
    },
  });
  const tape = new MarketTape({
    market: { symbol },
    known: new CoinTape('fake'),
    feed: { ids: { counted: 'tid' }, grouping: 'time' },
    clock,
    release: (one) => released.push(one),
    onGap: (gap) => gaps.set(gap.from, gap),
    past: (gap, rest) => {
      asked.push(gap);
      return client.ask(gap, rest).then((past) => {
        answers.push(past.trades.length);
        return past;
      });
    },
  });
  tape.add([trade(1), trade(trades)]);
  const until = async (isMet: () => boolean): Promise<void> => {
    for (let i = 0; i < 10_000 && !isMet(); i += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isMet()).toBe(true);
  };
  return { clock, requested, released, asked, answers, gap: () => gaps.get(T + 1), until };
}

it.each(['newestFirst', 'oldestFirst'] as const)(
  'closes a gap of more pages than one turn has, and requests each page once (%s)',
  async (order) => {
    const { clock, requested, released, asked, gap, until } = open(order);
    clock.advance(300);
    await until(() => gap()?.state === 'refilled');
    expect(new Set(released.map(({ tid }) => tid)).size).toBe(TRADES);
    expect(new Set(requested).size).toBe(requested.length);
    expect(requested.length).toBeLessThanOrEqual(TRADES / ROWS + 1);
    // Others had a turn in between.
    expect(asked.length).toBe(3);
  },
);

it('ends a refill when the venue sends the same page again', async () => {
  const { clock, requested, asked, released, gap, until } = open(
    'newestFirst',
    // Otherwise there would be no end.
    (requests) => requests > 50,
    ROWS,
    TRADES,
    () => String(TRADES),
  );
  clock.advance(300);
  await until(() => gap()?.state === 'partial' && asked.length === 1 && requested.length > 1);
  clock.advance(10_000);
  await until(() => asked.length === 2);
  await new Promise((resolve) => setImmediate(resolve));
  expect(requested.length).toBe(8);
  expect(released.length).toBe(ROWS + 1);
});

it('has a bounded number of trades of a gap in memory', async () => {
  const trades = 2.5 * TRADES_MAX;
  const { clock, released, answers, gap, until } = open('oldestFirst', () => false, 1_000, trades);
  clock.advance(300);
  await until(() => gap()?.state === 'refilled');
  expect(released.length).toBe(trades);
  expect(answers.length).toBe(3);
  for (const answer of answers) expect(answer).toBeLessThan(TRADES_MAX + 1_000);
});

it.each(['newestFirst', 'oldestFirst'] as const)(
  'continues where a page could not be read, and requests none twice that could (%s)',
  async (order) => {
    const { clock, requested, released, gap, until } = open(order, (requests) =>
      [251, 252, 401].includes(requests),
    );
    clock.advance(300);
    // The page fails twice: the second time nothing else was read, so it is requested again later.
    await until(() => requested.length === 252 && gap()?.state === 'partial');
    expect(gap()?.missing).toBeGreaterThan(TRADES / 2);
    clock.advance(10_000);
    await until(() => gap()?.state === 'refilled');
    expect(new Set(released.map(({ tid }) => tid)).size).toBe(TRADES);
    expect(requested.length).toBe(new Set(requested).size + 3);
  },
);

it('requests only what has not come when the venue left something out at first', async () => {
  const clock = new ManualClock(T + TRADES);
  const asked: TradeGap[] = [];
  const gaps = new Map<number, Gap>();
  const tape = new MarketTape({
    market: { symbol },
    known: new CoinTape('fake'),
    feed: { ids: { counted: 'tid' }, grouping: 'time' },
    clock,
    release: () => undefined,
    onGap: (gap) => gaps.set(gap.from, gap),
    past: async (gap) => {
      asked.push(gap);
      const tids = asked.length === 1 ? [2, 3, 5, 8] : [4, 6, 7];
      return { trades: tids.map(trade), isWhole: false };
    },
  });
  tape.add([trade(1), trade(9)]);
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
  };
  clock.advance(300);
  await settle();
  expect(gaps.get(T + 1)).toMatchObject({ state: 'partial', missing: 3 });
  clock.advance(10_000);
  await settle();
  expect(asked[1]).toMatchObject({
    afterTid: 3,
    beforeTid: 8,
    afterMs: T + 3,
    beforeMs: T + 8,
    edges: { after: 3, before: 8 },
  });
  expect(gaps.get(T + 1)).toMatchObject({ state: 'refilled', missing: 0 });
});
