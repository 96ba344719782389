import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, ManualClock } from '@crosstape/core';
import { parquetReadObjects } from 'hyparquet';
import { brotliDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { FilePart } from '../../http/file-part.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { RepairedTable } from '../audit/repaired-table.ts';
import { lakeMarkets } from '../lake/lake-markets.ts';
import { createMarketReader } from '../market-tape/market-reader.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { createTapeCoverage } from '../tape/tape-coverage.ts';
import { createTapeReader } from '../tape/tape-reader.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { Archive } from './archive.ts';
import { ArchiveCatalog } from './archive-catalog.ts';
import { readManifest } from './archive-manifest.ts';
import { ArchiveError, type ArchivePlace } from './archive-place.ts';
import { ArchiveReader } from './archive-reader.ts';
import { withArchive } from './archived-store.ts';
import { DamageList } from './damage-list.ts';
import { checkBytes, FolderPlace, systemSteps } from './folder-place.ts';
import { sealDay, type SealOrder } from './seal-day.ts';

const DAY = Date.parse('2026-11-09T00:00:00Z');
const FROZEN_DAY = DAY + 2 * DAY_MS;
const NOW = DAY + 3 * DAY_MS + HOUR_MS;
const market = 'hyperliquid:BTC';
const dayFolder = 'repaired_trades/venue=hyperliquid/symbol=BTC/date=2026-11-09/';
const nothing = { sealed: [], files: 0 };

let folder: string;
let store: MemoryStore;
let place: FolderPlace;
let repaired: RepairedTable;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-archive-'));
  place = new FolderPlace(join(folder, 'archive'));
  store = new MemoryStore();
  repaired = new RepairedTable(store);
  await record(DAY + HOUR_MS, 0);
  await store.commit([new GapLedger(store).extending({ from: DAY, to: NOW })]);
});
afterEach(() => rm(folder, { recursive: true }));

async function record(fromTs: number, tid: number): Promise<void> {
  const ticks = new TickBuffer();
  for (const trade of sampleTrades(fromTs, 100, tid)) ticks.add({ ...trade, coin: 'BTC' });
  await store.commit(new TickTable(store).sealing('BTC', ticks, ticks.length, []));
}

const repair = (tids: readonly number[], ts = DAY + 23 * HOUR_MS): Promise<void> =>
  repaired.put(
    market,
    tids.map((tid) => ({ ts, tid, side: 'buy', price: 100_000, size: 0.5 }) as const),
  );

/** An archive of the store as a process has it. */
async function openOne(at: ArchivePlace = place): Promise<Archive> {
  const clock = new ManualClock(NOW);
  const catalog = new ArchiveCatalog(store);
  if (!(await catalog.address())) await catalog.setAddress({ archive: folder, isRestored: false });
  const archived = withArchive(store, catalog, at);
  const bus = new LocalBus(clock);
  const ticks = new TickTable(archived);
  const options = { clock, bus, retentionDays: 365, venue: 'hyperliquid', recordCoins: 'all' };
  const coverage = createTapeCoverage({ ...options, ledger: new GapLedger(store) });
  const primary = { ticks, tape: createTapeReader({ table: ticks, bus }), coverage };
  const reader = createMarketReader({ ...options, store: archived, venues: [], primary });
  return Archive.open({
    clock,
    bus,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    jobs: {
      run: (_: unknown, order: SealOrder) => sealDay(order, (_place, read) => read(archived), at),
      stop: async () => undefined,
    } as JobRunner,
    store,
    folder,
    address: { archive: folder },
    catalog,
    place: at,
    damages: new DamageList(folder),
    markets: () => lakeMarkets(reader, 'hyperliquid'),
    primaryVenue: 'hyperliquid',
    prefix: 'sim:',
  });
}

/** The archived repairs of a day by file, each as it was sealed. */
async function tidsIn({ files }: Archive, under = dayFolder): Promise<Readonly<Record<string, number[]>>> {
  const tids: Record<string, number[]> = {};
  for (const file of files.filter(({ key }) => key.startsWith(under))) {
    await checkBytes(file.key, place.stream(file.key), file);
    const bytes = Uint8Array.from(await place.read(file.key, 0, file.bytes));
    const compressors = { BROTLI: (packed: Uint8Array) => brotliDecompressSync(packed) };
    const rows = await parquetReadObjects({ file: bytes.buffer, columns: ['tid'], compressors });
    tids[file.key.slice(under.length)] = rows.map(({ tid }) => Number(tid));
  }
  return tids;
}

/** Everything listed in the archive or served by the catalogue has the listed bytes. */
async function expectProven(): Promise<void> {
  for (const file of await readManifest(place)) await checkBytes(file.key, place.stream(file.key), file);
  for await (const file of new ArchiveCatalog(store).files())
    await checkBytes(file.key, place.stream(file.key), file);
}

it('gets a file for the trades that are repaired later, and no other file changes', async () => {
  const archive = await openOne();
  await archive.seal();
  const before = archive.files;
  await repair([7]);
  expect(await archive.seal()).toEqual({ sealed: ['2026-11-09'], files: 1 });
  expect(await archive.seal()).toEqual(nothing);
  await repair([8, 9]);
  expect(await archive.seal()).toEqual({ sealed: ['2026-11-09'], files: 1 });
  expect(await archive.seal()).toEqual(nothing);
  expect(await tidsIn(archive)).toEqual({ 'part-0.parquet': [7], 'part-1.parquet': [8, 9] });
  expect(archive.files.filter(({ key }) => !key.startsWith(dayFolder))).toEqual(before);
  expect(await readManifest(place)).toEqual(archive.files);
  expect(await (await openOne()).seal()).toEqual(nothing);
});

it('never loses archived repairs that have left the store, however few others are left', async () => {
  const archive = await openOne();
  await repair([1, 2, 3]);
  await archive.seal();
  await repaired.prune(market, NOW);
  expect(await archive.seal()).toEqual(nothing);
  await repair([4]);
  expect(await archive.seal()).toEqual({ sealed: ['2026-11-09'], files: 1 });
  // An import seals the whole day again.
  await record(DAY + 5 * HOUR_MS, 500);
  await repair([5]);
  await archive.seal();
  expect(await tidsIn(archive)).toEqual({
    'part-0.parquet': [1, 2, 3],
    'part-1.parquet': [4],
    'part-2.parquet': [5],
  });
});

it('archives the repairs of a day without any recorded trade', async () => {
  const archive = await openOne();
  await archive.seal();
  await repair([1], FROZEN_DAY);
  expect(await archive.seal()).toEqual({ sealed: ['2026-11-11'], files: 1 });
  const of = dayFolder.replace('11-09', '11-11');
  expect(await tidsIn(archive, of)).toEqual({ 'part-0.parquet': [1] });
});

it('serves only proven bytes when a second repair is cut off at any step', async () => {
  const archive = await openOne();
  await repair([1]);
  await archive.seal();
  let next = 2;
  for (let nth = 1, isOver = false; !isOver; nth += 1) {
    let count = 0;
    const step = async (run: () => Promise<void>): Promise<void> => {
      count += 1;
      if (count >= nth) throw new ArchiveError('killed');
      await run();
    };
    const dying = new FolderPlace(join(folder, 'archive'), {
      copy: (from, to) => step(() => systemSteps.copy(from, to)),
      write: (path, text) => step(() => systemSteps.write(path, text)),
      sync: (path) => step(() => systemSteps.sync(path)),
      rename: (from, to) => step(() => systemSteps.rename(from, to)),
    });
    await repair([next]);
    next += 1;
    isOver = await (await openOne(dying)).seal().then(
      () => true,
      () => false,
    );
    await expectProven();
    expect(nth, 'steps').toBeLessThan(50);
  }
  await expectAllOnce(next);
});

it('serves only proven bytes when the catalogue could not be written after the manifest', async () => {
  const archive = await openOne();
  await repair([1]);
  await archive.seal();
  await repair([2]);
  store.onCommit = () => {
    throw new Error('disk full');
  };
  await expect(archive.seal()).rejects.toThrow('disk full');
  store.onCommit = undefined;
  await expectProven();
  await repair([3]);
  await (await openOne()).seal();
  await expectProven();
  await expectAllOnce(4);
});

/** Every repair below a number is in one file of the archive. */
async function expectAllOnce(end: number): Promise<void> {
  const archive = await openOne();
  await archive.seal();
  const found = Object.values(await tidsIn(archive)).flat();
  expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: end - 1 }, (_, i) => i + 1));
}

const tradesKey = 'trades/venue=hyperliquid/symbol=BTC/date=2026-11-09/part-0.parquet';

/** The archive folder, with something done after each file that is stored in it. */
function placeThat(afterPut: (key: string) => Promise<void>, from: FolderPlace = place): ArchivePlace {
  return {
    put: async (key, path, proof) => {
      await from.put(key, path, proof);
      await afterPut(key);
    },
    putText: (key, text) => from.putText(key, text),
    read: (key, start, end) => from.read(key, start, end),
    stream: (key, range) => from.stream(key, range),
    readText: (key) => from.readText(key),
  };
}

it('serves no file of a day that is sealed again between its new bytes and their listing', async () => {
  const served: string[] = [];
  let serve: (() => Promise<string>) | undefined;
  const archive = await openOne(
    placeThat(async (key) => {
      if (serve && key === tradesKey) served.push(await serve());
    }),
  );
  await archive.seal();
  const reader = new ArchiveReader(archive, place, new DamageList(folder));
  serve = async () => {
    const found = await reader.find(tradesKey);
    if (!found) return 'nothing';
    const part = found.open(0, found.file.bytes - 1);
    await checkBytes(
      tradesKey,
      part instanceof FilePart ? createReadStream(part.path, part) : part,
      found.file,
    );
    return `${found.file.rows} trades`;
  };
  expect(await serve()).toBe('100 trades');
  const again = serve;
  serve = () => again().catch((error: Error) => error.message);
  await record(DAY + 5 * HOUR_MS, 500);
  await archive.seal();
  expect(served).toEqual(['The day of this file is being sealed again.']);
  expect(await again()).toBe('200 trades');
});

it('serves the older file when a day cannot be sealed again, unless its bytes are gone', async () => {
  let refuse: 'before' | 'after' | undefined;
  const at = placeThat(async (key) => {
    if (refuse === 'after' && key === tradesKey) throw new ArchiveError('the disk is full');
  });
  const archive = await openOne({
    ...at,
    put: async (key, path, proof) => {
      if (refuse === 'before' && key === tradesKey) throw new ArchiveError('the disk is full');
      await at.put(key, path, proof);
    },
  });
  await archive.seal();
  const reader = new ArchiveReader(archive, place, new DamageList(folder));
  await record(DAY + 5 * HOUR_MS, 500);
  refuse = 'before';
  await expect(archive.seal()).rejects.toThrow('full');
  expect((await reader.find(tradesKey))?.file.rows).toBe(100);
  refuse = 'after';
  await expect(archive.seal()).rejects.toThrow('full');
  await expect(reader.find(tradesKey)).rejects.toThrow('sealed again');
  refuse = undefined;
  await archive.seal();
  expect((await reader.find(tradesKey))?.file.rows).toBe(200);
});
