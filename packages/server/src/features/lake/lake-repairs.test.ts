import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { clockTopic, seedingTopic } from '../../topics.ts';
import { RepairedTable } from '../audit/repaired-table.ts';
import { createMarketReader } from '../market-tape/market-reader.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { createTapeCoverage } from '../tape/tape-coverage.ts';
import { createTapeReader } from '../tape/tape-reader.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { Lake } from './lake.ts';
import { LakeFolder } from './lake-folder.ts';
import { type FileOrder, makeLakeFile } from './make-file.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAY = Date.parse('2026-11-09T00:00:00Z');
const key = 'repaired_trades/venue=hyperliquid/symbol=BTC/date=2026-11-09/part-0.parquet';
const trade = { ts: DAY + DAY_MS - MINUTE_MS, side: 'buy', price: 100_000, size: 0.5 } as const;

let folder: string;
let clock: ManualClock;
let store: MemoryStore;
let lake: Lake;
let bus: LocalBus;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-lake-'));
  clock = new ManualClock(DAY + DAY_MS + 20 * MINUTE_MS);
  store = new MemoryStore();
  bus = new LocalBus(clock);
  const ticks = new TickTable(store);
  const buffer = new TickBuffer();
  for (const one of sampleTrades(DAY, 10)) buffer.add({ ...one, coin: 'BTC' });
  const ledger = new GapLedger(store);
  await store.commit([
    ...ticks.sealing('BTC', buffer, buffer.length, []),
    ledger.extending({ from: DAY, to: clock.now() }),
  ]);
  const options = { clock, bus, retentionDays: 7, venue: 'hyperliquid', recordCoins: 'all' };
  const coverage = createTapeCoverage({ ...options, ledger });
  const tape = createTapeReader({ table: ticks, bus });
  lake = new Lake({
    ...options,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    jobs: {
      run: (_: unknown, order: FileOrder) => makeLakeFile(order, (_place, read) => read(store)),
      stop: async () => undefined,
    } as JobRunner,
    place: '',
    folder: await LakeFolder.open(folder, 2 ** 20),
    markets: createMarketReader({ ...options, store, venues: [], primary: { ticks, tape, coverage } }),
    primaryVenue: 'hyperliquid',
    repairs: new RepairedTable(store),
    prefix: 'sim:',
  });
});
afterEach(async () => {
  await lake.stop();
  await rm(folder, { recursive: true });
});

const repair = (...tids: readonly number[]): Promise<void> =>
  new RepairedTable(store).put(
    'hyperliquid:BTC',
    tids.map((tid) => ({ ...trade, tid })),
  );
const rowsOf = async (): Promise<number | undefined> => (await lake.find(key))?.file.rows;

it('makes the repaired trades of a day again while the audit may find more', async () => {
  await repair(1);
  expect(await rowsOf()).toBe(1);
  await repair(2);
  expect(await rowsOf()).toBe(1);
  clock.advance(11 * MINUTE_MS);
  expect(await rowsOf()).toBe(2);
  clock.advance(5 * 60 * MINUTE_MS);
  await repair(3);
  expect(await rowsOf()).toBe(3);
  // From now on the day is settled.
  await repair(4);
  clock.advance(11 * MINUTE_MS);
  expect(await rowsOf()).toBe(3);
});

it('lists the repaired trades that were found after the other files were made', async () => {
  clock.advance(3 * MINUTE_MS);
  await vi.waitFor(() => expect(lake.files.map((file) => file.key)).toContain(key.replace('repaired_', '')), {
    timeout: 120_000,
  });
  expect(lake.files.map((file) => file.key)).not.toContain(key);
  await repair(1, 2);
  clock.advance(5 * 60 * MINUTE_MS);
  await vi.waitFor(
    () => {
      // The next round; all polls together stay far within the retention.
      clock.advance(MINUTE_MS);
      expect(lake.files).toContainEqual(expect.objectContaining({ key, rows: 2 }));
    },
    { timeout: 120_000 },
  );
});

it('leaves out repaired trades that are on the tape: it was refilled meanwhile', async () => {
  const buffer = new TickBuffer();
  const late = { coin: 'BTC', venue: '', notionalUsd: 0, sameOrder: false };
  buffer.add({ ...trade, ...late, tid: 7, ts: trade.ts + 5_000, venueTs: trade.ts });
  await store.commit(new TickTable(store).appending('BTC', buffer, 0, 1, 1));
  await repair(7, 8);
  expect(await rowsOf()).toBe(1);
});

it('serves the older file while it cannot be made again', async () => {
  await repair(1);
  expect(await rowsOf()).toBe(1);
  await repair(2);
  clock.advance(11 * MINUTE_MS);
  bus.publish(seedingTopic, { isDone: false, progress: 0.5 });
  expect(await rowsOf()).toBe(1);
  await expect(lake.find(key.replace('repaired_', ''))).rejects.toThrow('is being created');
});

it('lists the repaired trades of a day without any recorded trade', async () => {
  const frozen = DAY - DAY_MS;
  await store.commit([new GapLedger(store).extending({ from: frozen, to: clock.now() })]);
  await new RepairedTable(store).put('hyperliquid:BTC', [{ ...trade, ts: frozen, tid: 1 }]);
  clock.advance(3 * MINUTE_MS);
  const ofDay = key.replace('11-09', '11-08');
  await vi.waitFor(() => expect(lake.files.map((file) => file.key)).toContain(ofDay), { timeout: 120_000 });
});

const dayFiles = ['trades', 'candles_1m', 'gaps'].map((table) => key.replace('repaired_trades', table));
const madeAt = (): readonly number[] =>
  dayFiles.map((one) => lake.files.find((file) => file.key === one)?.madeAtMs ?? 0);

async function refill(): Promise<void> {
  const buffer = new TickBuffer();
  for (const one of sampleTrades(DAY + 23 * 60 * MINUTE_MS, 5, 100)) buffer.add({ ...one, coin: 'BTC' });
  await store.commit(new TickTable(store).sealing('BTC', buffer, buffer.length, []));
}

it('makes the files of a day again when more of its trades were requested after an outage over midnight', async () => {
  for (const one of dayFiles) await lake.find(one);
  const before = madeAt();
  clock.advance(1_000);
  for (const one of dayFiles) await lake.find(one);
  expect(madeAt()).toEqual(before);
  await refill();
  for (const one of dayFiles) await lake.find(one);
  expect(madeAt()).toEqual(before.map((ms) => ms + 1_000));
  expect((await lake.find(dayFiles[0] ?? ''))?.file.rows).toBe(15);
});

it('makes them again in the background, too', async () => {
  const madeSince = (sinceMs: number) =>
    vi.waitFor(
      () => {
        clock.advance(MINUTE_MS);
        expect(Math.min(...madeAt())).toBeGreaterThan(sinceMs);
      },
      { timeout: 120_000 },
    );
  await madeSince(0);
  await refill();
  await madeSince(clock.now());
});

it('makes nothing by a clock that is ahead, by which a day is over before it is', async () => {
  const clockState = { skewMs: 8 * 60 * MINUTE_MS, isWrong: true };
  bus.publish(clockTopic, { ...clockState, stepMs: 0 });
  await expect(lake.find(dayFiles[0] ?? '')).rejects.toThrow('clock');
  // The machine's clock was set, and the service goes by its own.
  bus.publish(clockTopic, { ...clockState, stepMs: clockState.skewMs });
  expect((await lake.find(dayFiles[0] ?? ''))?.file.rows).toBe(10);
});
