import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import type { Log } from '../../platform/log.ts';
import { HistoryTable } from './history-table.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { historyTopic } from '../../topics.ts';
import { startHistoryRecorder } from './history-recorder.ts';
import { SampleLedger } from './samples/sample-ledger.ts';

const CADENCE_MS = 600_000;
const START_MS = 1_763_164_800_000;
const btc = { kind: 'openInterest', venue: 'hyperliquid', coin: 'BTC' } as const;
const silent = (): void => undefined;
const log: Log = { debug: silent, info: silent, warn: silent, error: silent };

let folder: string;
let store: LmdbStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-history-'));
  store = new LmdbStore(folder);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

it('samples on multiples of ten minutes, leaves out stale figures, and drops samples older than the retention', async () => {
  const clock = new ManualClock(START_MS + 123_456);
  const bus = new LocalBus(clock);
  const table = new HistoryTable(store);
  let received: number | undefined;
  const recorder = startHistoryRecorder({
    clock,
    bus,
    table,
    log,
    ledger: new SampleLedger(store, log),
    sample: (t) => ({
      samples: received === undefined ? [] : [{ coin: 'BTC', t, openInterest: received, funding: {} }],
      points: received === undefined ? [] : [{ ...btc, t, value: received, periodHours: 0 }],
    }),
    retentionDays: 1,
    candleDays: 2,
    keptFromMs: (keepMs) => clock.now() - keepMs,
  });
  const points = async (): Promise<unknown> =>
    (await table.samples('BTC', 0)).map(({ t, openInterest }) => [(t - START_MS) / CADENCE_MS, openInterest]);
  const written = (n: number): Promise<unknown> =>
    vi.waitFor(() => expect(bus.latest(historyTopic)?.message.t).toBe(START_MS + n * CADENCE_MS));

  received = 10;
  clock.advance(CADENCE_MS - 123_456);
  await written(1);
  received = undefined;
  clock.advance(CADENCE_MS);
  await written(2);
  received = 30;
  clock.advance(CADENCE_MS);
  await written(3);
  received = undefined;
  expect(await points()).toEqual([
    [1, 10],
    [3, 30],
  ]);

  clock.advance(142 * CADENCE_MS);
  received = 40;
  clock.advance(CADENCE_MS);
  await written(146);
  await recorder.stop();
  expect(await points()).toEqual([
    [3, 30],
    [146, 40],
  ]);
});

it('keeps all samples of a long retention', async () => {
  const table = new HistoryTable(store);
  const t = START_MS + 12_960 * CADENCE_MS;
  const days = Array.from({ length: 12_960 }, (_, i) => t - i * CADENCE_MS);
  await table.append(days.map((at) => ({ coin: 'BTC', t: at, funding: {} })));
  const samples = await table.samples('BTC', 0);
  expect([samples.length, samples.at(-1)?.t]).toEqual([12_960, t]);
});
