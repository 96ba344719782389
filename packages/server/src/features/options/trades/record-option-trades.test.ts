import { DAY_MS, HOUR_MS, ManualClock, type OptionQuote, type OptionTrade } from '@crosstape/core';
import type { OptionTradePage, OptionTradeSpan } from '@crosstape/venues';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SourceFailure } from '../../../ingest/source-failure.ts';
import { LocalBus } from '../../../platform/local-bus.ts';
import type { Log } from '../../../platform/log.ts';
import { MemoryStore } from '../../../store/testing/memory-store.ts';
import { snapshotTopic } from '../../../topics.ts';
import { OptionTradeTable } from './option-trade-table.ts';
import { recordOptionTrades } from './record-option-trades.ts';

const START_MS = Date.UTC(2026, 10, 16, 14, 30);
const EVERY_MS = 10_000;
const REACH_MS = 23 * HOUR_MS;

/** The venue has these; a page has at most three. */
let listed: OptionTrade[];
let asked: OptionTradeSpan[];
let failing: (span: OptionTradeSpan) => Error | undefined;
let clock: ManualClock;
let bus: LocalBus;
let store: MemoryStore;
let errors: object[];
let stops: (() => Promise<void>)[];

beforeEach(() => {
  [listed, asked, errors, stops] = [[], [], [], []];
  failing = () => undefined;
  clock = new ManualClock(START_MS);
  bus = new LocalBus(clock);
  store = new MemoryStore();
});
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
});

function trade(ts: number, parts: Partial<OptionTrade> = {}): OptionTrade {
  return {
    id: String(ts),
    coin: 'BTC',
    symbol: 'BTC-27NOV26-100000-C',
    type: 'C',
    strike: 100_000,
    expiryMs: Date.UTC(2026, 10, 27, 8),
    isLinear: false,
    ts,
    side: 'buy',
    price: 0.02,
    size: 1,
    ivPct: 50,
    markPrice: 0.02,
    index: 100_000,
    ...parts,
  };
}

async function read(span: OptionTradeSpan): Promise<OptionTradePage> {
  asked.push(span);
  const failure = failing(span);
  if (failure) throw failure;
  const found = listed.filter(
    ({ ts, coin }) => coin.toLowerCase() === span.book && ts >= span.fromMs && ts <= span.toMs,
  );
  const trades = found.slice(0, 3);
  const nextMs = found.length > 3 ? trades.at(-1)?.ts : undefined;
  return { trades, ...(nextMs !== undefined && { nextMs }) };
}

function record(begin: Promise<unknown> = Promise.resolve()): () => Promise<void> {
  const silent = (): void => undefined;
  const log: Log = { debug: silent, info: silent, warn: silent, error: (fields) => errors.push(fields) };
  const { stop } = recordOptionTrades({
    clock,
    bus,
    log,
    store,
    begin,
    keptFromMs: (keepMs) => clock.now() - keepMs,
    source: {
      publisher: { id: 'deribit' },
      trades: {
        name: 'option-trades',
        weight: 1,
        everyMs: EVERY_MS,
        reachMs: REACH_MS,
        books: ['btc', 'eth'],
        request: () => ({ method: 'GET', path: '' }),
        parse: () => ({ trades: [] }),
      },
      read,
    },
  });
  stops.push(stop);
  return stop;
}

const table = (): OptionTradeTable => new OptionTradeTable(store);

async function recordedTimes(coin = 'BTC'): Promise<readonly number[]> {
  const times: number[] = [];
  await table().each({ coin, fromMs: 0, toMs: Infinity }, ({ ts }) => times.push(ts - START_MS));
  return times;
}

const spansOf = async (book: string): Promise<readonly (readonly [number, number])[]> =>
  (await table().spans())
    .filter((span) => span.book === book)
    .map(({ from, to }) => [from - START_MS, to - START_MS]);

/** Until the turn at the clock's time has read the last book. */
const turnIsOver = (): Promise<void> =>
  vi.waitFor(async () => expect((await spansOf('eth')).at(-1)?.[1]).toBe(clock.now() - START_MS));

it('begins with what the venue still has, page by page, and then reads what is new', async () => {
  listed = [-5, -4, -3, -2, -1].map((hours) => trade(START_MS + hours * HOUR_MS));
  listed.push(trade(START_MS - REACH_MS - 1));
  record();
  await turnIsOver();
  expect(await recordedTimes()).toEqual([-5, -4, -3, -2, -1].map((hours) => hours * HOUR_MS));
  expect(await spansOf('btc')).toEqual([[-REACH_MS, 0]]);
  expect(asked.map(({ fromMs }) => fromMs - START_MS)).toEqual([-REACH_MS, -3 * HOUR_MS, -REACH_MS]);

  listed.push(trade(START_MS + 4_000));
  clock.advance(EVERY_MS);
  await turnIsOver();
  expect((await recordedTimes()).at(-1)).toBe(4_000);
  expect(await spansOf('btc')).toEqual([[-REACH_MS, EVERY_MS]]);
});

it('reads a trade that the venue lists late', async () => {
  record();
  await turnIsOver();
  listed.push(trade(START_MS - 20_000));
  clock.advance(EVERY_MS);
  await turnIsOver();
  expect(await recordedTimes()).toEqual([-20_000]);
});

it('continues after a restart where the record ends, without doubles', async () => {
  listed = [trade(START_MS - 1_000), trade(START_MS - 1_000, { id: 'other leg' })];
  const stop = record();
  await turnIsOver();
  await stop();
  clock.advance(HOUR_MS);
  listed.push(trade(START_MS + 1_000));
  asked = [];
  record();
  await turnIsOver();
  expect(asked[0]).toEqual({ book: 'btc', fromMs: START_MS - 30_000, toMs: START_MS + HOUR_MS });
  expect(await recordedTimes()).toEqual([-1_000, -1_000, 1_000]);
  expect(await spansOf('btc')).toEqual([[-REACH_MS, HOUR_MS]]);
});

it('leaves a gap after an outage that is longer than the venue answers', async () => {
  const stop = record();
  await turnIsOver();
  await stop();
  clock.advance(2 * DAY_MS);
  record();
  await turnIsOver();
  expect(await spansOf('btc')).toEqual([
    [-REACH_MS, 0],
    [2 * DAY_MS - REACH_MS, 2 * DAY_MS],
  ]);
});

it('records the other books while one fails, and what was missed afterwards', async () => {
  failing = ({ book }) => (book === 'btc' ? new SourceFailure('down', 'No answer.') : undefined);
  listed = [trade(START_MS - 1_000), trade(START_MS - 500, { coin: 'ETH' })];
  record();
  await turnIsOver();
  expect(await recordedTimes()).toEqual([]);
  expect(await spansOf('btc')).toEqual([]);
  expect(await recordedTimes('ETH')).toEqual([-500]);
  failing = () => undefined;
  clock.advance(EVERY_MS);
  await turnIsOver();
  expect(await recordedTimes()).toEqual([-1_000]);
  expect(errors).toEqual([]);
});

it('keeps the pages before a failure, and continues with the failed one', async () => {
  listed = [1, 2, 3, 4, 5].map((i) => trade(START_MS - 10 * HOUR_MS + i));
  failing = ({ fromMs }) =>
    fromMs === START_MS - 10 * HOUR_MS + 3 ? new SourceFailure('down', 'No answer.') : undefined;
  record();
  await turnIsOver();
  expect(await recordedTimes()).toHaveLength(3);
  expect((await spansOf('btc')).at(-1)?.[1]).toBe(-10 * HOUR_MS + 3);
  failing = () => undefined;
  clock.advance(EVERY_MS);
  await turnIsOver();
  expect(await recordedTimes()).toHaveLength(5);
});

it('requests again what the store could not take, and logs that once', async () => {
  listed = [trade(START_MS - HOUR_MS)];
  store.onCommit = () => {
    throw new Error('disk full');
  };
  record();
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  clock.advance(EVERY_MS);
  await vi.waitFor(() => expect(asked).toHaveLength(4));
  store.onCommit = undefined;
  const roomMs = clock.now() - START_MS;
  await vi.waitFor(async () => {
    clock.advance(EVERY_MS);
    expect((await spansOf('eth')).at(-1)?.[1]).toBeGreaterThan(roomMs);
  });
  expect(await recordedTimes()).toEqual([-HOUR_MS]);
  expect(errors).toHaveLength(1);
});

it('requests nothing before it is this process that records, and nothing after it stops', async () => {
  let lead = (): void => undefined;
  const stop = record(new Promise<void>((resolve) => (lead = resolve)));
  clock.advance(EVERY_MS);
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual([]);
  lead();
  await turnIsOver();
  await stop();
  const count = asked.length;
  clock.advance(EVERY_MS);
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toHaveLength(count);
});

it('requests and forgets nothing if it stops before it is this process that records', async () => {
  const row = { ...trade(START_MS - 40 * DAY_MS), delta: 0, vega: 0 };
  await table().append([row], { book: 'btc', from: row.ts, to: row.ts + 1 });
  let lead = (): void => undefined;
  const stop = record(new Promise<void>((resolve) => (lead = resolve)));
  await stop();
  lead();
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(EVERY_MS);
  expect(asked).toEqual([]);
  expect(await recordedTimes()).toEqual([-40 * DAY_MS]);
});

it('reads up to now while the clock is behind the record, which stays as it is', async () => {
  const stop = record();
  await turnIsOver();
  await stop();
  clock = new ManualClock(START_MS - HOUR_MS);
  asked = [];
  const stopAgain = record();
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  await stopAgain();
  const toMs = START_MS - HOUR_MS;
  expect(asked[0]).toEqual({ book: 'btc', fromMs: toMs - 30_000, toMs });
  expect(await spansOf('btc')).toEqual([[-REACH_MS, 0]]);
});

it('reads twenty pages of a long history, and the rest after the other books', async () => {
  listed = Array.from({ length: 70 }, (_, i) => trade(START_MS - 10 * HOUR_MS + i * 60_000));
  record();
  await turnIsOver();
  expect(asked.map(({ book }) => book)).toEqual([...Array.from({ length: 20 }, () => 'btc'), 'eth']);
  expect(await recordedTimes()).toHaveLength(41);
  clock.advance(EVERY_MS);
  await turnIsOver();
  expect(await recordedTimes()).toHaveLength(70);
});

it('has the greeks of the forward of the chain', async () => {
  const snapshot = { venue: 'deribit', fetchedAtMs: START_MS, everyMs: 30_000 };
  const { expiryMs } = trade(START_MS);
  const quote = { coin: 'BTC', expiryMs, forward: 103_000 } as OptionQuote;
  const index = { coin: 'BTC', symbol: 'btc_usd', index: 100_000 };
  bus.publish(snapshotTopic('deribit', 'btcOptions'), { ...snapshot, rows: [quote] });
  bus.publish(snapshotTopic('deribit', 'indexPrices'), { ...snapshot, rows: [index] });
  // Without a volatility its delta says whether the forward is above the strike; the index is not.
  listed = [trade(START_MS - 1_000, { strike: 102_000, ivPct: 0 })];
  record();
  await turnIsOver();
  const deltas: number[] = [];
  await table().each({ coin: 'BTC', fromMs: 0, toMs: Infinity }, ({ delta }) => deltas.push(delta));
  expect(deltas).toEqual([1]);
});

it('keeps thirty days, with the span that reaches into them, and forgets day by day', async () => {
  const append = (days: number, from: number, to: number): Promise<void> => {
    const row = { ...trade(START_MS - days * DAY_MS), delta: 0, vega: 0 };
    return table().append([row], { book: 'btc', from: START_MS - from * DAY_MS, to: START_MS - to * DAY_MS });
  };
  await append(31, 40, 31);
  await append(29.5, 30.5, 29.5);
  const stop = record();
  await turnIsOver();
  await stop();
  expect(await recordedTimes()).toEqual([-29.5 * DAY_MS]);
  expect(await spansOf('btc')).toEqual([
    [-30.5 * DAY_MS, -29.5 * DAY_MS],
    [-REACH_MS, 0],
  ]);
  asked = [];
  record();
  // The next turn begins when the first one has looked for what is old.
  await vi.waitFor(() => {
    clock.advance(EVERY_MS);
    expect(asked.length).toBeGreaterThan(2);
  });
  expect(await recordedTimes()).toEqual([-29.5 * DAY_MS]);
  await vi.waitFor(async () => {
    clock.advance(DAY_MS);
    expect(await recordedTimes()).toEqual([]);
  });
});

it('forgets trades and spans that are older than the retention', async () => {
  const old = START_MS - 40 * DAY_MS;
  const row = { ...trade(old), delta: 0, vega: 0 };
  await table().append([row], { book: 'btc', from: old, to: old + 1 });
  record();
  await turnIsOver();
  await vi.waitFor(async () => expect(await recordedTimes()).toEqual([]));
  expect(await spansOf('btc')).toEqual([[-REACH_MS, 0]]);
});
