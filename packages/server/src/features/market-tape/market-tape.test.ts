import { ManualClock, type MarketTrade, type Trade } from '@crosstape/core';
import type { TradeGap } from '@crosstape/venues';
import { beforeEach, describe, expect, it } from 'vitest';
import { CoinTape } from '../tape/coin-tape.ts';
import type { Gap } from '../tape/gap-ledger.ts';
import type { PastTrades } from '../../ingest/past-trades-client.ts';
import { MarketTape } from './market-tape.ts';

const T = 1_790_000_000_000;
const symbol = 'BTCUSDT';

let clock: ManualClock;
let released: Trade[];
let gaps: Map<number, Gap>;
let asked: TradeGap[];
let answer: (gap: TradeGap) => Promise<PastTrades>;

beforeEach(() => {
  clock = new ManualClock(T);
  released = [];
  gaps = new Map();
  asked = [];
  answer = () => Promise.reject(new Error('the venue is down'));
});

const trade = (n: number, over: Partial<MarketTrade> = {}): MarketTrade => ({
  symbol,
  side: 'buy',
  price: 100,
  size: 1,
  venueTs: T + n * 10,
  tid: n,
  ...over,
});
const trades = (from: number, to: number): MarketTrade[] =>
  Array.from({ length: to - from + 1 }, (_, i) => trade(from + i));

function open(counted?: 'tid' | 'seq'): MarketTape {
  return new MarketTape({
    market: { symbol },
    known: new CoinTape('binance'),
    feed: { ids: counted ? { counted, mayRestart: counted === 'seq' } : {}, grouping: 'time' },
    clock,
    release: (one) => released.push(one),
    onGap: (gap) => gaps.set(gap.from, gap),
    past: (gap) => {
      asked.push(gap);
      return answer(gap);
    },
  });
}

const ids = (): number[] => released.map(({ tid }) => tid);
/** Advances the clock and runs what it wakes. */
const pass = async (ms: number): Promise<void> => {
  clock.advance(ms);
  for (let i = 0; i < 5; i += 1) await Promise.resolve();
};

describe('a market whose trades are counted', () => {
  it('releases each trade once, at once and with a time that never goes back', () => {
    const tape = open('tid');
    tape.add([trade(1), trade(2), trade(2), trade(3, { venueTs: T }), trade(1)]);
    expect(ids()).toEqual([1, 2, 3]);
    expect(released.map(({ ts }) => ts)).toEqual([T + 10, T + 20, T + 20]);
    expect(released[2]?.venueTs).toBe(T);
    expect(gaps.size).toBe(0);
  });

  it('says when each trade was received: of those that waited, and of those that were requested', async () => {
    const tape = open('tid');
    tape.add([trade(1)], false, T + 30);
    tape.add([trade(4)], false, T + 90);
    answer = () => Promise.resolve({ trades: trades(2, 3), isWhole: true });
    await pass(300);
    expect(released.map(({ tid, ts, recvLagMs = Number.NaN }) => [tid, ts + recvLagMs - T])).toEqual([
      [1, 30],
      [2, 300],
      [3, 300],
      [4, 90],
    ]);
  });

  it('sorts trades that overtook each other, and requests nothing', async () => {
    const tape = open('tid');
    tape.add([trade(1), trade(4), trade(3)]);
    expect(ids()).toEqual([1]);
    tape.add([trade(2), trade(5)]);
    expect(ids()).toEqual([1, 2, 3, 4, 5]);
    await pass(10_000);
    expect(asked).toEqual([]);
    expect(gaps.size).toBe(0);
  });

  it('refills a gap until the count closes, and puts the trades where they belong', async () => {
    answer = () => Promise.resolve({ trades: trades(2, 5), isWhole: true });
    const tape = open('tid');
    tape.add([trade(1), trade(6)]);
    await pass(300);
    expect(asked).toEqual([
      {
        market: { symbol },
        afterMs: T + 10,
        beforeMs: T + 60,
        afterTid: 1,
        beforeTid: 6,
        edges: { after: 1, before: 6 },
      },
    ]);
    expect(ids()).toEqual([1, 2, 3, 4, 5, 6]);
    expect([...gaps.values()]).toMatchObject([
      { coin: symbol, from: T + 10, to: T + 61, state: 'refilled', method: 'count', missing: 0 },
    ]);
  });

  it('says exactly how many are missing, asks again, and counts those that come late', async () => {
    answer = () => Promise.resolve({ trades: [trade(3)], isWhole: false });
    const tape = open('tid');
    tape.add([trade(1), trade(6)]);
    await pass(300);
    expect(ids()).toEqual([1, 3, 6]);
    expect(gaps.get(T + 10)).toMatchObject({ state: 'partial', missing: 3 });
    answer = () => Promise.resolve({ trades: trades(2, 5), isWhole: true });
    tape.add([trade(7)]);
    await pass(10_000);
    expect(ids()).toEqual([1, 3, 6, 7, 2, 4, 5]);
    expect(released.at(-1)).toMatchObject({ ts: T + 70, venueTs: T + 50 });
    expect(gaps.get(T + 10)).toMatchObject({ state: 'refilled', missing: 0 });
  });

  it('does not wait longer than five seconds for a venue that does not answer', async () => {
    answer = () => new Promise(() => undefined);
    const tape = open('tid');
    tape.add([trade(1), trade(3)]);
    await pass(4_999);
    expect(ids()).toEqual([1]);
    await pass(1);
    expect(ids()).toEqual([1, 3]);
    expect(gaps.get(T + 10)).toMatchObject({ state: 'missing', missing: 1 });
  });

  it('calls an outage refilled when the numbers continue, and counts from what was recorded before', async () => {
    const tape = open('tid');
    const before = { coin: symbol, venue: 'binance', notionalUsd: 100, sameOrder: false } as const;
    tape.restore([{ ...trade(1), ...before, ts: T + 10 }]);
    tape.outage({ fromMs: T + 11, toMs: T + 5_000, reason: 'no socket' });
    tape.add([trade(1), trade(2)]);
    expect(ids()).toEqual([2]);
    expect([...gaps.values()]).toMatchObject([
      { from: T + 11, to: T + 5_000, state: 'refilled', missing: 0 },
    ]);
    tape.outage({ fromMs: T + 21, toMs: T + 90, reason: 'no socket' });
    tape.add([trade(5)]);
    await pass(300);
    expect(gaps.get(T + 20)).toMatchObject({ state: 'missing', missing: 2, reason: 'no socket', to: T + 91 });
  });

  it('does not record fills again that came merged, when the venue answers them singly', async () => {
    answer = () => Promise.resolve({ trades: trades(2, 8), isWhole: true });
    const tape = open('tid');
    tape.add([trade(1), trade(8, { count: 2 }), trade(5, { count: 3 })]);
    await pass(300);
    expect(asked).toMatchObject([{ afterTid: 1, beforeTid: 7 }]);
    expect(ids()).toEqual([1, 2, 5, 6, 8]);
    expect([...gaps.values()]).toMatchObject([{ state: 'refilled', missing: 0 }]);
  });

  it('counts every fill of a trade that the venue merged', async () => {
    const tape = open('tid');
    tape.add([trade(3, { count: 3 }), trade(8, { count: 2 })]);
    await pass(300);
    expect([...gaps.values()]).toMatchObject([{ missing: 3 }]);
  });
});

describe('numbers that never come', () => {
  it('were skipped by the venue when its history reaches both sides without them, twice', async () => {
    answer = () => Promise.resolve({ trades: [], isWhole: true });
    const tape = open('tid');
    tape.add([trade(1), trade(502)]);
    await pass(300);
    expect(ids()).toEqual([1, 502]);
    expect(gaps.get(T + 10)).toMatchObject({ missing: 500 });
    await pass(10_000);
    expect([...gaps.values()]).toMatchObject([{ state: 'refilled', missing: 0 }]);
    await pass(3_600_000);
    expect(asked.length).toBe(2);
  });

  it('stay missing while the history does not reach both sides, and are requested in the first minutes only', async () => {
    answer = () => Promise.resolve({ trades: [trade(3)], isWhole: false });
    const tape = open('tid');
    tape.add([trade(1), trade(6)]);
    await pass(300);
    for (const waitMs of [10_000, 60_000]) await pass(waitMs);
    expect(gaps.get(T + 10)).toMatchObject({ state: 'partial', missing: 3 });
    answer = () => Promise.resolve({ trades: [trade(4)], isWhole: false });
    await pass(300_000);
    expect(gaps.get(T + 10)).toMatchObject({ state: 'partial', missing: 2 });
    expect(asked.length).toBe(4);
    // Trades hours late would be recorded far from their own time.
    answer = () => Promise.resolve({ trades: trades(2, 5), isWhole: true });
    for (let hour = 0; hour < 24; hour += 1) await pass(3_600_000);
    expect(asked.length).toBe(4);
    expect(ids()).toEqual([1, 3, 6, 4]);
  });
});

it('records a trade once that is answered again when the tape has forgotten it', async () => {
  const numbered = (n: number, seq: number): MarketTrade => trade(n, { seq });
  const tape = open('seq');
  // Others were made in the same millisecond as those on both sides.
  const beside = [trade(100, { venueTs: T + 10, seq: 0 }), trade(101, { venueTs: T + 60, seq: 7 })] as const;
  const lost = trade(102, { venueTs: T + 60 });
  tape.add([beside[0], numbered(1, 1), numbered(6, 6), beside[1]]);
  answer = () => Promise.resolve({ trades: [trade(1), trade(3), trade(6)], isWhole: false });
  await pass(300);
  expect(ids()).toEqual([100, 1, 3, 6, 101]);
  await pass(10_000);
  for (let half = 0; half < 3; half += 1) {
    const from = 8 + half * 1_100;
    tape.add(Array.from({ length: 1_100 }, (_, i) => numbered(from + i, from + i)));
    await pass(60_000);
  }
  answer = () =>
    Promise.resolve({ trades: [beside[0], ...trades(1, 4), trade(6), beside[1], lost], isWhole: true });
  await pass(300_000);
  const first = released.filter(({ ts, venueTs = ts }) => venueTs <= T + 60).map(({ tid }) => tid);
  expect(first.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 6, 100, 101, 102]);
  expect(gaps.get(T + 10)).toMatchObject({ state: 'refilled', missing: 0 });
});

describe('a market whose venue begins to count again', () => {
  const numbered = (n: number, seq: number): MarketTrade => trade(n, { seq });

  it('requests what was made in an outage, and does not call it refilled', async () => {
    const tape = open('seq');
    tape.add([numbered(1, 883_383), numbered(2, 883_384)]);
    tape.outage({ fromMs: T + 21, toMs: T + 3_600_000, reason: 'no socket' });
    tape.add([numbered(360_000, 421_135), numbered(360_001, 421_136)]);
    await pass(0);
    expect(asked).toMatchObject([{ afterMs: T + 20 }]);
    expect([...gaps.values()]).toMatchObject([
      { from: T + 20, to: T + 3_600_001, state: 'missing', method: 'socket', reason: 'no socket' },
    ]);
    expect(ids()).toEqual([1, 2, 360_000, 360_001]);
  });

  it('enters the time between the two counts as partial, and records what the venue answers', async () => {
    const tape = open('seq');
    tape.add([numbered(1, 883_384)]);
    answer = () => Promise.resolve({ trades: [trade(2)], isWhole: true });
    tape.add([numbered(4, 7)]);
    await pass(0);
    expect([...gaps.values()]).toMatchObject([
      { from: T + 10, to: T + 41, state: 'partial', method: 'socket' },
    ]);
    expect(ids()).toEqual([1, 2, 4]);
    tape.add([numbered(6, 9)]);
    await pass(300);
    expect(gaps.get(T + 40)).toMatchObject({ method: 'count', missing: 1 });
  });

  it('enters it as partial when the venue does not answer', async () => {
    const tape = open('seq');
    tape.add([numbered(1, 883_384), numbered(4, 7)]);
    await pass(0);
    expect([...gaps.values()]).toMatchObject([{ from: T + 10, to: T + 41, state: 'partial' }]);
  });
});

describe('an outage after a trade with a wrong number', () => {
  /** The gaps of an outage of a minute. */
  const after = async (wrong: readonly MarketTrade[], next: readonly MarketTrade[]): Promise<Gap[]> => {
    clock.advance(100_000);
    const tape = open('tid');
    tape.add([trade(100), ...wrong]);
    tape.outage({ fromMs: T + 2_000, toMs: T + 62_000, reason: 'no socket' });
    tape.add(next);
    await pass(300);
    await pass(10_000);
    return [...gaps.values()].filter(({ from, to }) => from <= T + 2_000 && to > T + 61_000);
  };
  const late = (n: number): MarketTrade => trade(n, { venueTs: T + 62_000 + n });

  it('is counted from the trades before it when its number was far too high', async () => {
    const found = await after([trade(9_000_000, { venueTs: T + 1_500 })], [late(111), late(112)]);
    expect(found).toMatchObject([{ state: 'missing', method: 'count', missing: 10 }]);
  });

  it('is not refilled when its number was too high by a little', async () => {
    const found = await after([trade(150, { venueTs: T + 1_500 })], [late(111), late(112)]);
    expect(found).toMatchObject([{ from: T + 1_500, state: 'missing', method: 'socket' }]);
  });

  it('is counted from the trades before it when its number was too low', async () => {
    const found = await after([trade(3, { venueTs: T + 1_500 })], [late(111), late(112)]);
    expect(found).toMatchObject([{ state: 'missing', method: 'count', missing: 10 }]);
  });

  it('is not refilled while every number since it is too low', async () => {
    expect(await after([], [late(3)])).toMatchObject([{ state: 'partial' }]);
    expect(await after([], [late(3), late(4)])).toMatchObject([{ state: 'missing', method: 'socket' }]);
  });

  it('is not refilled by trades that were recorded with a wrong number before a restart', async () => {
    const own = { coin: symbol, venue: 'binance', notionalUsd: 100, sameOrder: false } as const;
    const tape = open('tid');
    tape.restore(
      [trade(1), trade(9_000_000, { venueTs: T + 15 }), trade(2)].map((one) => ({
        ...one,
        ...own,
        ts: one.venueTs,
      })),
    );
    tape.outage({ fromMs: T + 21, toMs: T + 5_000, reason: 'no socket' });
    tape.add([trade(5, { venueTs: T + 5_001 })]);
    await pass(300);
    expect([...gaps.values()]).toMatchObject([{ from: T + 20, state: 'missing', missing: 2 }]);
  });
});

describe('a market whose trades are not counted', () => {
  it('calls an outage partial at best, once its past is whole', async () => {
    answer = () => Promise.resolve({ trades: trades(2, 3), isWhole: true });
    const tape = open();
    tape.add([trade(1)]);
    tape.outage({ fromMs: T + 11, toMs: T + 40, reason: 'no socket' });
    tape.add([trade(4)]);
    await pass(0);
    expect(ids()).toEqual([1, 2, 3, 4]);
    expect([...gaps.values()]).toMatchObject([{ state: 'partial', method: 'socket' }]);
  });

  it('calls it missing when the venue does not answer', async () => {
    const tape = open();
    tape.add([trade(1)]);
    tape.outage({ fromMs: T + 11, toMs: T + 40, reason: 'no socket' });
    await pass(0);
    expect([...gaps.values()]).toMatchObject([{ state: 'missing', from: T + 11, to: T + 40 }]);
  });
});
