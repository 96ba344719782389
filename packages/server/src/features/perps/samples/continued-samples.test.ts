import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, ManualClock, MINUTE_MS } from '@crosstape/core';
import type { SampleSpan, VenueSamples } from '@crosstape/venues';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LocalBus } from '../../../platform/local-bus.ts';
import { LmdbStore } from '../../../store/lmdb-store.ts';
import { snapshotTopic } from '../../../topics.ts';
import { SampleLedger } from './sample-ledger.ts';
import { SampleTasks } from './sample-task.ts';

const NOW = Date.UTC(2026, 10, 16, 12);
const ROWS_MAX = 100;
const REACH_DAYS = 10;
/** No test requests more. */
const ASKED_MAX = 20;
const series = { kind: 'globalLongs', venue: 'bybit', coin: 'BTC' } as const;
const silent = { error: () => {} };

let folder: string;
let store: LmdbStore;
let ledger: SampleLedger;
let clock: ManualClock;
/** Start and end of what was requested, in hours from NOW. */
let asked: (readonly [from: number, to: number])[];
/** How long after an hour the venue has its row. */
let lateMs: number;
let isDown: boolean;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  store = new LmdbStore(folder);
  ledger = new SampleLedger(store, silent);
  clock = new ManualClock(NOW + 20 * MINUTE_MS);
  asked = [];
  lateMs = MINUTE_MS;
  isDown = false;
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** The share of an hour. */
const shareAt = (ts: number): number => ((ts / HOUR_MS) % 97) / 100;

function answer({ fromMs, toMs }: SampleSpan) {
  asked.push([(fromMs - NOW) / HOUR_MS, (toMs - NOW) / HOUR_MS]);
  if (asked.length > ASKED_MAX) throw new Error('requested without end');
  if (isDown) throw new Error('HTTP 500');
  const hasMs = clock.now() - lateMs;
  const hours = Array.from({ length: (toMs - fromMs) / HOUR_MS }, (_, i) => fromMs + i * HOUR_MS);
  const samples = hours.filter((ts) => ts <= hasMs).map((ts) => ({ ts, value: shareAt(ts) }));
  return { samples, fromMs };
}

/** Requests everything that a new process would request now. */
async function round({ covers }: Pick<VenueSamples, 'covers'> = {}): Promise<void> {
  const bus = new LocalBus(clock);
  const row = (symbol: string, value: number) => ({ coin: 'BTC', symbol, contracts: 1, coins: 1, value });
  bus.publish(snapshotTopic('bybit', 'openInterest'), {
    venue: 'bybit',
    rows: [row('BTCPERP', 2), row('BTCUSDT', 1)],
    fetchedAtMs: NOW,
    everyMs: 30_000,
  });
  const options = { store, bus, clock, ledger, primaryVenue: 'hyperliquid', days: 365 };
  const task = new SampleTasks({ ...options, marketsOf: async () => [] }).of({
    publisher: { id: 'bybit' },
    samples: {
      kind: series.kind,
      name: 'account-ratio',
      weight: 1,
      spanMs: ROWS_MAX * HOUR_MS,
      reachMs: REACH_DAYS * DAY_MS,
      request: () => ({ method: 'GET', path: '/' }),
      parse: () => ({ samples: [], fromMs: 0 }),
      ...(covers && { covers }),
    },
    weightPerMinute: 600,
    read: async (span) => {
      if (covers) expect(span.market.symbol).toBe('BTCUSDT');
      return answer(span);
    },
  });
  for (const target of (await task.targets()) ?? [])
    for (let piece = await target.next(); piece; piece = await target.next())
      await piece.fill((read) => read());
}

async function storedHours(): Promise<readonly number[]> {
  const samples = await ledger.read(series, '1h', { sinceMs: 0 });
  for (const { t, value, origin } of samples) expect([value, origin]).toEqual([shareAt(t), 'venue']);
  return samples.map(({ t }) => (t - NOW) / HOUR_MS);
}

const hoursUpTo = (last: number): readonly number[] =>
  Array.from({ length: REACH_DAYS * 24 }, (_, i) => i - REACH_DAYS * 24 + 1).concat(
    Array.from({ length: last }, (_, i) => i + 1),
  );

it('stores the newest hours and then older ones, and after that each hour once, over restarts', async () => {
  await round();
  expect(asked).toEqual([
    [-99, 1],
    [-199, -99],
    [-239, -199],
  ]);
  asked = [];
  await round();
  clock.advance(30 * MINUTE_MS);
  await round();
  // The venue may not have the ratio of an hour at once.
  clock.advance(15 * MINUTE_MS);
  await round();
  expect(asked).toEqual([]);
  for (let quarter = 0; quarter < 8; quarter += 1) {
    clock.advance(15 * MINUTE_MS);
    await round();
  }
  expect(asked).toEqual([
    [1, 2],
    [2, 3],
  ]);
  expect(await storedHours()).toEqual(hoursUpTo(2));
});

it('requests a row that was late with that of the next hour, and no sooner', async () => {
  await round();
  asked = [];
  lateMs = 40 * MINUTE_MS;
  for (let quarter = 0; quarter < 8; quarter += 1) {
    clock.advance(15 * MINUTE_MS);
    await round();
  }
  expect(asked).toEqual([
    [1, 2],
    [1, 3],
  ]);
  expect(await storedHours()).toEqual(hoursUpTo(1));
});

it('requests all that it missed while the venue or the service was down, a span at a time', async () => {
  await round();
  isDown = true;
  clock.advance(30 * HOUR_MS);
  await expect(round()).rejects.toThrow('HTTP 500');
  isDown = false;
  asked = [];
  clock.advance(120 * HOUR_MS);
  await round();
  expect(asked).toEqual([
    [1, 101],
    [101, 151],
  ]);
  expect(await storedHours()).toEqual(hoursUpTo(150));
});

it('requests no hour that the venue no longer has, after a longer time', async () => {
  await round();
  asked = [];
  clock.advance(20 * DAY_MS);
  await round();
  const oldest = 20 * 24 - REACH_DAYS * 24 + 1;
  expect(asked).toEqual([
    [oldest, oldest + 100],
    [oldest + 100, oldest + 200],
    [oldest + 200, 20 * 24 + 1],
  ]);
});

it('keeps requesting a contract that had no ratio yet, and stores those that come', async () => {
  lateMs = REACH_DAYS * DAY_MS;
  await round();
  expect(await storedHours()).toEqual([]);
  asked = [];
  lateMs = MINUTE_MS;
  clock.advance(HOUR_MS);
  await round();
  expect((await storedHours()).at(-1)).toBe(1);
  expect(asked.length).toBeLessThan(3);
});

it('takes the largest contract of a coin that has a ratio', async () => {
  await round({ covers: (symbol) => symbol.endsWith('USDT') });
  expect(await storedHours()).toEqual(hoursUpTo(0));
});
