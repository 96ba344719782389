import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, ManualClock, MINUTE_MS } from '@crosstape/core';
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
import { Lake, type LakeArchive } from './lake.ts';
import { LakeFolder } from './lake-folder.ts';
import { type FileOrder, makeLakeFile } from './make-file.ts';

const DAY = Date.parse('2026-11-09T00:00:00Z');
const key = 'repaired_trades/venue=hyperliquid/symbol=BTC/date=2026-11-09/part-0.parquet';
const trade = { ts: DAY + DAY_MS - MINUTE_MS, side: 'buy', price: 100_000, size: 0.5 } as const;

let folder: string;
let clock: ManualClock;
let store: MemoryStore;
let lake: Lake;
let bus: LocalBus;
/** Tables of the files that were made, in order. */
let made: string[];
beforeEach(async () => {
  made = [];
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
  lake = await openLake();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await lake.stop();
  await rm(folder, { recursive: true });
});

async function openLake(archive?: LakeArchive): Promise<Lake> {
  const options = { clock, bus, retentionDays: 7, venue: 'hyperliquid', recordCoins: 'all' };
  const ticks = new TickTable(store);
  const coverage = createTapeCoverage({ ...options, ledger: new GapLedger(store) });
  const tape = createTapeReader({ table: ticks, bus });
  return new Lake({
    ...options,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    jobs: {
      run: (_: unknown, order: FileOrder) => {
        made.push(order.source.table);
        return makeLakeFile(order, (_place, read) => read(store));
      },
      stop: async () => undefined,
    } as JobRunner,
    place: '',
    folder: await LakeFolder.open(folder, 2 ** 20),
    markets: createMarketReader({ ...options, store, venues: [], primary: { ticks, tape, coverage } }),
    primaryVenue: 'hyperliquid',
    repairs: new RepairedTable(store),
    prefix: 'sim:',
    archive,
  });
}

/** With an archive, nothing is made in the background. */
async function makeOnRequestOnly(): Promise<void> {
  await lake.stop();
  lake = await openLake({ files: [], has: () => false, find: async () => undefined, sinceMs: undefined });
}

/** After this, a request compares a day with the tape again. */
const COMPARED_MS = 11 * MINUTE_MS;

const repair = (...tids: readonly number[]): Promise<void> =>
  new RepairedTable(store).put(
    'hyperliquid:BTC',
    tids.map((tid) => ({ ...trade, tid })),
  );
const rowsOf = async (): Promise<number | undefined> => (await lake.find(key))?.file.rows;

it('makes the repaired trades of a day again when there are more', async () => {
  await makeOnRequestOnly();
  await repair(1);
  expect(await rowsOf()).toBe(1);
  await repair(2);
  expect(await rowsOf()).toBe(1);
  clock.advance(COMPARED_MS);
  expect(await rowsOf()).toBe(2);
  // The venue answers the audit days later.
  clock.advance(3 * DAY_MS);
  await repair(3);
  expect(await rowsOf()).toBe(3);
  expect(await rowsOf()).toBe(3);
  expect(made).toHaveLength(3);
});

it('lists the repaired trades that were found after the other files were made', async () => {
  clock.advance(3 * MINUTE_MS);
  await vi.waitFor(() => expect(lake.files.map((file) => file.key)).toContain(key.replace('repaired_', '')), {
    timeout: 120_000,
  });
  expect(lake.files.map((file) => file.key)).not.toContain(key);
  await repair(1, 2);
  await vi.waitFor(
    () => {
      // The next round; all polls together stay far within the retention.
      clock.advance(MINUTE_MS);
      expect(lake.files).toContainEqual(expect.objectContaining({ key, rows: 2 }));
    },
    { timeout: 120_000 },
  );
});

/** A repaired trade enters the tape, this much later than the venue's time. */
async function append(tid: number, lateMs: number, position: number): Promise<void> {
  const buffer = new TickBuffer();
  const late = { coin: 'BTC', venue: '', notionalUsd: 0, sameOrder: false };
  buffer.add({ ...trade, ...late, tid, ts: trade.ts + lateMs, venueTs: trade.ts });
  await store.commit(new TickTable(store).appending('BTC', buffer, 0, 1, position));
}

it('leaves out repaired trades that are on the tape: it was refilled meanwhile', async () => {
  await append(7, 5_000, 1);
  await repair(7, 8);
  expect(await rowsOf()).toBe(1);
});

it('leaves out those that enter the tape hours later, also after midnight', async () => {
  await makeOnRequestOnly();
  clock.advance(6 * 60 * MINUTE_MS);
  await repair(7, 8, 9);
  expect(await rowsOf()).toBe(3);
  await append(7, 5_000, 1);
  clock.advance(COMPARED_MS);
  expect(await rowsOf()).toBe(2);
  await append(8, 30 * MINUTE_MS, 2);
  clock.advance(COMPARED_MS);
  expect(await rowsOf()).toBe(1);
  await append(9, 31 * MINUTE_MS, 3);
  clock.advance(COMPARED_MS);
  // None is left, and neither is the file.
  expect(await lake.find(key)).toBeUndefined();
  expect(lake.files).toEqual([]);
});

it('serves the older file while it cannot be made again', async () => {
  await repair(1);
  expect(await rowsOf()).toBe(1);
  await repair(2);
  clock.advance(COMPARED_MS);
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
  await makeOnRequestOnly();
  for (const one of dayFiles) await lake.find(one);
  const before = madeAt();
  clock.advance(COMPARED_MS);
  for (const one of dayFiles) await lake.find(one);
  expect(madeAt()).toEqual(before);
  await refill();
  clock.advance(COMPARED_MS);
  for (const one of dayFiles) await lake.find(one);
  expect(madeAt()).toEqual(before.map(() => clock.now()));
  expect((await lake.find(dayFiles[0] ?? ''))?.file.rows).toBe(15);
  expect(made).toHaveLength(2 * dayFiles.length);
});

it.each(dayFiles)('makes %s again once, whichever others are made', async (one) => {
  await makeOnRequestOnly();
  await lake.find(one);
  await refill();
  clock.advance(COMPARED_MS);
  await lake.find(one);
  expect(madeAt()).toContain(clock.now());
  clock.advance(COMPARED_MS);
  await lake.find(one);
  expect(made).toHaveLength(2);
});

it('makes them again when a gap of the day becomes known', async () => {
  await makeOnRequestOnly();
  const [, , gaps = ''] = dayFiles;
  expect((await lake.find(gaps))?.file).toMatchObject({ rows: 0, complete: true });
  const gap = { coin: 'BTC', from: DAY + 1_000, to: DAY + 2_000, state: 'missing', reason: 'lost' } as const;
  await store.commit(new GapLedger(store).entering([gap]));
  clock.advance(COMPARED_MS);
  expect((await lake.find(gaps))?.file).toMatchObject({ rows: 1, complete: false });
});

it('makes a file that was made by a clock ahead again once, after the clock was set back', async () => {
  await makeOnRequestOnly();
  clock.advance(5 * 60 * MINUTE_MS);
  for (const one of dayFiles) await lake.find(one);
  clock.advance(-5 * 60 * MINUTE_MS);
  await refill();
  for (const one of dayFiles) await lake.find(one);
  clock.advance(COMPARED_MS);
  for (const one of dayFiles) await lake.find(one);
  expect(made).toHaveLength(2 * dayFiles.length);
});

it('compares a day once for requests that follow each other, and searches for no market', async () => {
  await makeOnRequestOnly();
  await append(7, 5_000, 1);
  for (const one of dayFiles) await lake.find(one);
  const searches = vi.spyOn(TickTable.prototype, 'coins');
  const decoded = vi.spyOn(TickTable.prototype, 'tail');
  clock.advance(COMPARED_MS);
  await Promise.all([...dayFiles, ...dayFiles].map((one) => lake.find(one)));
  expect(decoded).toHaveBeenCalledTimes(1);
  expect(searches).not.toHaveBeenCalled();
});

it('serves the older files while the day cannot be read, and reads it again for the next request', async () => {
  await makeOnRequestOnly();
  for (const one of dayFiles) await lake.find(one);
  await refill();
  clock.advance(COMPARED_MS);
  const [trades = ''] = dayFiles;
  vi.spyOn(GapLedger.prototype, 'gaps').mockRejectedValueOnce(new Error('a damaged row'));
  expect((await lake.find(trades))?.file.rows).toBe(10);
  expect((await lake.find(trades))?.file.rows).toBe(15);
});

it('keeps the files of a day that is the same after a restart', async () => {
  await makeOnRequestOnly();
  await repair(1);
  for (const one of [...dayFiles, key]) await lake.find(one);
  await makeOnRequestOnly();
  for (const one of [...dayFiles, key]) await lake.find(one);
  expect(made).toHaveLength(dayFiles.length + 1);
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
