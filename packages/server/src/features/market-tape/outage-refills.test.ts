import { ManualClock, type MarketTrade } from '@crosstape/core';
import type { TradeFeed } from '@crosstape/venues';
import { expect, it } from 'vitest';
import type { PastTrades, UnreadPages } from '../../ingest/past-trades-client.ts';
import { CoinTape } from '../tape/coin-tape.ts';
import type { Gap } from '../tape/gap-ledger.ts';
import { MarketTape } from './market-tape.ts';
import { OUTAGES_MAX } from './outage-refills.ts';
import type { RequestPast } from './past-in-parts.ts';

/** Outages of a market whose trades are not counted. A trade is made each second, and its id is that second. */

const T = 1_790_000_000_000;
const symbol = 'BTCUSDT';
const SECOND_MS = 1_000;

const trade = (second: number): MarketTrade => ({
  symbol,
  side: 'buy',
  price: 100,
  size: 1,
  venueTs: T + second * SECOND_MS,
  tid: second,
});
const trades = (from: number, to: number): MarketTrade[] =>
  Array.from({ length: to - from + 1 }, (_, i) => trade(from + i));

type Request = Parameters<RequestPast>[0] & { readonly rest: UnreadPages | undefined };

function open(
  answer: (request: Request, requests: number) => PastTrades | undefined,
  ids: TradeFeed['ids'] = {},
) {
  const clock = new ManualClock(T);
  const requests: Request[] = [];
  const released: number[] = [];
  const gaps = new Map<number, Gap>();
  const tape = new MarketTape({
    market: { symbol },
    known: new CoinTape('fake'),
    feed: { ids, grouping: 'time' },
    clock,
    release: ({ tid }) => released.push(tid),
    onGap: (gap) => gaps.set((gap.from - T) / SECOND_MS, gap),
    past: async (gap, rest) => {
      const request = { ...gap, rest };
      requests.push(request);
      await Promise.resolve();
      const answered = answer(request, requests.length);
      if (!answered) throw new Error('the venue is down');
      return answered;
    },
  });
  /** Advances the clock to a second and runs what it wakes. */
  const until = async (second: number): Promise<void> => {
    clock.advance(T + second * SECOND_MS - clock.now());
    for (let i = 0; i < 50; i += 1) await Promise.resolve();
  };
  /** Trades are received up to a second, but for an outage before it. */
  const outage = (from: number, to: number): void =>
    tape.outage({ fromMs: T + from * SECOND_MS, toMs: T + to * SECOND_MS, reason: 'no socket' });
  const bounds = (): readonly (readonly [number, number])[] =>
    requests.map(({ afterMs, beforeMs }) => [(afterMs - T) / SECOND_MS, (beforeMs - T) / SECOND_MS]);
  return { tape, clock, requests, released, gaps, until, outage, bounds };
}

const rest: UnreadPages = {
  request: { method: 'GET', path: '/more' },
  isRead: true,
  hasAfter: true,
  hasBefore: true,
  coveredFromMs: T,
};
const sorted = (ids: readonly number[]): readonly number[] => ids.toSorted((a, b) => a - b);
const seconds = (from: number, to: number): readonly number[] => trades(from, to).map(({ tid }) => tid);
/** The venue's answer to a request. */
const answerOf = ({ afterMs, beforeMs }: Request, newest = Infinity): PastTrades => ({
  trades: trades((afterMs - T) / SECOND_MS, Math.min(newest, (beforeMs - T) / SECOND_MS)),
  isWhole: true,
});

it('continues with a refill that is under way when there is another outage', async () => {
  const { tape, released, gaps, requests, until, outage } = open((request, n) => {
    if (n === 1) return { trades: trades(150, 200), isWhole: false, rest };
    // The second outage begins and ends before the venue answers the rest of the first.
    if (n === 2) {
      tape.add([trade(201)]);
      outage(202, 205);
      tape.add([trade(206)]);
    }
    return request.rest ? { trades: trades(101, 149), isWhole: true } : answerOf(request);
  });
  tape.add(trades(90, 100));
  await until(200);
  outage(101, 200);
  await until(206);
  await until(216);
  expect(sorted(released)).toEqual(seconds(90, 206));
  expect(gaps.get(101)).toMatchObject({ state: 'partial', to: T + 200 * SECOND_MS });
  expect(gaps.get(202)).toMatchObject({ state: 'partial', to: T + 205 * SECOND_MS });
  expect(requests.slice(0, 3).map((one) => [(one.afterMs - T) / SECOND_MS, one.rest !== undefined])).toEqual([
    [100, false],
    [100, true],
    [201, false],
  ]);
});

it('requests an outage again, after longer and longer times, while the venue does not answer', async () => {
  const { tape, released, gaps, bounds, until, outage } = open((request, n) =>
    n < 3 ? undefined : answerOf(request),
  );
  tape.add([trade(1)]);
  await until(20);
  outage(2, 20);
  tape.add([trade(21)]);
  await until(20);
  expect(gaps.get(2)).toMatchObject({ state: 'missing' });
  await until(29);
  expect(bounds().length).toBe(1);
  await until(30);
  expect(bounds().length).toBe(2);
  await until(90);
  expect(bounds()).toEqual([
    [1, 20],
    [1, 30],
    [1, 80],
  ]);
  expect(sorted(released)).toEqual(seconds(1, 21));
  expect(gaps.get(2)).toMatchObject({ state: 'partial' });
  for (let hour = 1; hour < 4; hour += 1) await until(hour * 3_600);
  expect(bounds().length).toBe(3);
});

it('requests what follows the newest trade of an answer again until the past has reached the end of the outage', async () => {
  const { tape, released, bounds, until, outage } = open((request, n) =>
    answerOf(request, n === 1 ? 12 : 30),
  );
  tape.add([trade(1)]);
  await until(20);
  outage(2, 20);
  tape.add([trade(21)]);
  await until(20);
  expect(released).toEqual([...seconds(1, 12), 21]);
  await until(30);
  expect(bounds()).toEqual([
    [1, 20],
    [12, 30],
  ]);
  expect(sorted(released)).toEqual(seconds(1, 21));
  await until(3_600);
  expect(bounds().length).toBe(2);
});

it('abandons an outage that the venue never answers', async () => {
  const { tape, gaps, bounds, until, outage } = open(() => undefined);
  tape.add([trade(1)]);
  await until(20);
  outage(2, 20);
  for (let minute = 1; minute < 60; minute += 1) await until(20 + 60 * minute);
  expect(bounds().length).toBe(4);
  expect(gaps.get(2)).toMatchObject({ state: 'missing' });
});

it('records no trade twice that is answered when the tape has forgotten it', async () => {
  const { tape, released, until, outage, clock } = open((request, n) =>
    n < 4 ? undefined : answerOf(request),
  );
  const beside = { ...trade(1), tid: 1_000_001 };
  tape.add([trade(1), beside]);
  await until(20);
  outage(2, 20);
  // One of the time before arrives after it.
  tape.add([trade(18), trade(21)]);
  await until(20);
  for (let part = 0; part < 3; part += 1) {
    const from = 2_000_000 + part * 1_100;
    for (let i = 0; i < 1_100; i += 1) tape.add([{ ...trade(from + i), venueTs: clock.now() }]);
    await until(30 + 65 * part);
  }
  await until(470);
  const before = released.filter((tid) => tid < 2_000_000);
  expect(sorted(before)).toEqual([...seconds(1, 21), 1_000_001]);
});

it('takes outages for one that no trade lies between', async () => {
  const { tape, released, gaps, bounds, until, outage } = open((request, n) =>
    n === 1 ? undefined : answerOf(request),
  );
  tape.add([trade(1)]);
  await until(10);
  outage(2, 10);
  await until(15);
  outage(12, 15);
  await until(15);
  expect(bounds()).toEqual([
    [1, 10],
    [1, 15],
  ]);
  expect(sorted(released)).toEqual(seconds(1, 15));
  expect(gaps.get(2)).toMatchObject({ state: 'partial', to: T + 15 * SECOND_MS });
});

it('reports each outage, and gives up the oldest when there are too many', async () => {
  const { tape, gaps, bounds, until, outage } = open(() => undefined);
  const outages = OUTAGES_MAX + 10;
  for (let i = 0; i < outages; i += 1) {
    tape.add([trade(3 * i)]);
    outage(3 * i + 1, 3 * i + 2);
  }
  await until(200);
  expect(gaps.size).toBe(outages);
  // The first is requested before there are too many.
  expect(bounds().length).toBeLessThanOrEqual(OUTAGES_MAX + 1);
  tape.stop();
});

it('does not take a back-fill for proof that reaches back to a trade after the outage only', async () => {
  const { tape, gaps, until, outage } = open(() => undefined);
  tape.add([trade(1)]);
  await until(10);
  outage(2, 10);
  tape.add([trade(11)]);
  await until(12);
  tape.add([trade(11), trade(12)], true);
  await until(3_600);
  expect(gaps.get(2)).toMatchObject({ state: 'missing' });
});

/** A trade of this second that the venue merged from fills with consecutive numbers. */
const merged = (second: number, tid: number, count: number): MarketTrade => ({
  ...trade(second),
  tid,
  size: count,
  count,
});
const fill = (second: number, tid: number): MarketTrade => ({ ...trade(second), tid });

it('records no fill again that the feed has merged with others', async () => {
  const { tape, released, until, outage } = open(
    () => ({
      trades: [fill(5, 99), fill(5, 100), fill(12, 101), fill(12, 102), fill(12, 103)],
      isWhole: true,
    }),
    { counted: 'tid' },
  );
  await until(20);
  // No trade has been numbered before it.
  outage(2, 20);
  tape.add([merged(12, 103, 3)]);
  await until(30);
  expect(sorted(released)).toEqual([99, 100, 103]);
});

it('records no fill again of a merged trade that an earlier process has recorded', async () => {
  const { tape, released, until, outage } = open(
    () => ({ trades: [fill(1, 101), fill(1, 102), fill(1, 103), fill(2, 104)], isWhole: true }),
    { counted: 'tid' },
  );
  const { side, price, venueTs: ts } = trade(1);
  const common = { coin: symbol, venue: 'fake', sameOrder: false, notionalUsd: 300 };
  tape.restore([{ ...common, side, price, ts, size: 3, tid: 103 }], false);
  await until(20);
  outage(2, 20);
  tape.add([fill(21, 110)]);
  await until(30);
  expect(sorted(released)).toEqual([104, 110]);
});

it('uses no answer whose ids are not those of the feed, and reports why', async () => {
  const other = (one: MarketTrade): MarketTrade => ({ ...one, tid: one.tid + 1_000_000 });
  const { tape, released, gaps, bounds, until, outage } = open((request) => ({
    trades: answerOf(request).trades.map(other),
    isWhole: true,
  }));
  tape.add(trades(1, 10));
  await until(20);
  outage(11, 20);
  tape.add([trade(21)]);
  for (let minute = 1; minute < 60; minute += 1) await until(20 + 60 * minute);
  expect(released).toEqual([...seconds(1, 10), 21]);
  expect(gaps.get(11)).toMatchObject({
    state: 'missing',
    reason: "no socket; the venue's history has other ids than its feed and cannot be joined to it",
  });
  expect(bounds().length).toBe(1);
});
