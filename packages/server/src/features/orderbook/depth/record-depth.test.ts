import { DAY_MS, ManualClock, MINUTE_MS, type RoundedBook } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import { LocalBus } from '../../../platform/local-bus.ts';
import type { Log } from '../../../platform/log.ts';
import type { Store } from '../../../store/store.ts';
import { MemoryStore } from '../../../store/testing/memory-store.ts';
import { snapshotTopic } from '../../../topics.ts';
import { DepthTable } from './depth-table.ts';
import { DEPTH_DAYS, depthTopic, recordDepth } from './record-depth.ts';
import { timesTen } from './recorded-depth.ts';

const START_MS = 1_790_000_040_000;
const market = 'hyperliquid:BTC';
const silent = (): void => undefined;

function setUp(store: Store = new MemoryStore()) {
  const clock = new ManualClock(START_MS);
  const bus = new LocalBus(clock);
  const errors: object[] = [];
  const log: Log = { debug: silent, info: silent, warn: silent, error: (fields) => errors.push(fields) };
  const recorder = recordDepth({
    clock,
    bus,
    log,
    store,
    venue: 'hyperliquid',
    figures: [5, 4],
    keptFromMs: (keepMs) => clock.now() - keepMs,
  });
  const table = new DepthTable(store, log);
  /** The two books of BTC, each fetched some time after the start. */
  const publish = (size: number, atMs: readonly [number, number], venueTs = START_MS + atMs[0]): void => {
    const rows = [5, 4].map(
      (figures): RoundedBook => ({
        coin: 'BTC',
        symbol: 'BTC',
        figures,
        venueTs,
        levelsMax: 20,
        bids: [[1000, size]],
        asks: [[1001, 2]],
      }),
    );
    bus.publish(snapshotTopic('hyperliquid', 'roundedBooks'), {
      venue: 'hyperliquid',
      rows,
      fetchedAtMs: START_MS + Math.max(...atMs),
      rowsAtMs: atMs.map((ms) => START_MS + ms),
      everyMs: MINUTE_MS,
    });
  };
  const read = async (intervalMs = MINUTE_MS, limit = 100) => {
    const range = { startMs: 0, endMs: Number.MAX_SAFE_INTEGER, intervalMs, limit };
    const found = await table.read(market, range);
    return found.map(({ t, bids, unitExponent }) => [
      (t - START_MS) / MINUTE_MS,
      timesTen(bids.levels[0]!.size, unitExponent),
    ]);
  };
  return { clock, bus, store, recorder, table, publish, read, errors };
}

it('records the first books of each minute once, and misses a minute without them', async () => {
  const { publish, read, recorder, bus } = setUp();
  publish(1, [500, 900]);
  publish(9, [700, 20_000]);
  // One book is of the next minute, the other not yet.
  publish(8, [MINUTE_MS + 400, 900]);
  publish(2, [MINUTE_MS + 400, MINUTE_MS + 700]);
  // The venue repeats an old book.
  publish(7, [2 * MINUTE_MS, 2 * MINUTE_MS], START_MS + MINUTE_MS + 400);
  publish(3, [4 * MINUTE_MS, 4 * MINUTE_MS]);
  await recorder.stop();
  expect(await read()).toEqual([
    [0, 1],
    [1, 2],
    [4, 3],
  ]);
  expect(bus.latest(depthTopic)?.message.t).toBe(START_MS + 4 * MINUTE_MS);
  publish(5, [5 * MINUTE_MS, 5 * MINUTE_MS]);
  expect(await read()).toHaveLength(3);
});

it('misses a minute where a rounding is missing, or is still that of an earlier minute', async () => {
  const { bus, read, recorder } = setUp();
  const publish = (minute: number, ...venueMinutes: readonly number[]): void => {
    const rows = venueMinutes.map(
      (venueMinute, i): RoundedBook => ({
        coin: 'BTC',
        symbol: 'BTC',
        figures: 5 - i,
        venueTs: START_MS + venueMinute * MINUTE_MS,
        levelsMax: 20,
        bids: [[1000, minute]],
        asks: [[1001, 2]],
      }),
    );
    const fetchedAtMs = START_MS + minute * MINUTE_MS;
    const snapshot = { venue: 'hyperliquid', rows, fetchedAtMs, everyMs: MINUTE_MS };
    bus.publish(snapshotTopic('hyperliquid', 'roundedBooks'), snapshot);
  };
  publish(1, 1, 1);
  publish(2, 2);
  publish(3, 3, 1);
  publish(4, 4, 4);
  await recorder.stop();
  expect(await read()).toEqual([
    [1, 1],
    [4, 4],
  ]);
});

it('keeps the snapshot of a minute over a restart', async () => {
  const before = setUp();
  before.publish(1, [500, 900]);
  await before.recorder.stop();
  const after = setUp(before.store);
  after.publish(9, [30_000, 31_000]);
  after.publish(2, [MINUTE_MS, MINUTE_MS]);
  await after.recorder.stop();
  expect(await after.read()).toEqual([
    [0, 1],
    [1, 2],
  ]);
});

it('reads the first snapshot of each interval, the newest ones up to the limit', async () => {
  const { publish, read, recorder, table } = setUp();
  for (const minute of [1, 2, 11, 29, 31, 32]) publish(minute, [minute * MINUTE_MS, minute * MINUTE_MS]);
  await recorder.stop();
  // The start is six minutes before a multiple of ten minutes.
  const intervals = await read(10 * MINUTE_MS);
  expect(intervals.map(([minute]) => minute)).toEqual([1, 11, 29]);
  expect(await read(10 * MINUTE_MS, 2)).toEqual(intervals.slice(-2));
  expect(await read(MINUTE_MS, 3)).toHaveLength(3);
  // Of an interval that begins earlier, the first one since the start of the range.
  const [startMs, endMs] = [START_MS + 2 * MINUTE_MS, START_MS + 32 * MINUTE_MS];
  const within = await table.read(market, { startMs, endMs, intervalMs: 10 * MINUTE_MS, limit: 9 });
  expect(within.map(({ t }) => (t - START_MS) / MINUTE_MS)).toEqual([2, 11, 29]);
  expect(await table.sinceMs(market)).toBe(START_MS + MINUTE_MS);
  expect(await table.sinceMs('hyperliquid:BT')).toBeUndefined();
});

it('removes what is older than a month', async () => {
  const { publish, read, clock, recorder } = setUp();
  publish(1, [0, 0]);
  publish(2, [MINUTE_MS, MINUTE_MS]);
  await vi.waitFor(async () => expect(await read()).toHaveLength(2));
  clock.advance(DEPTH_DAYS * DAY_MS + MINUTE_MS / 2);
  await vi.waitFor(async () => expect(await read()).toEqual([[1, 2]]));
  await recorder.stop();
});

it('misses a damaged row, and reports it once', async () => {
  const { publish, read, recorder, store, errors } = setUp();
  publish(1, [0, 0]);
  publish(2, [MINUTE_MS, MINUTE_MS]);
  publish(3, [2 * MINUTE_MS, 2 * MINUTE_MS]);
  await recorder.stop();
  const key = [market, START_MS + MINUTE_MS];
  await store.commit([store.table('book-depth', 'binary').puts([{ key, value: Uint8Array.of(1, 2) }])]);
  const others = [
    [0, 1],
    [2, 3],
  ];
  expect(await read()).toEqual(others);
  expect(await read()).toEqual(others);
  expect(errors).toHaveLength(1);
});
