import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, ManualClock, MINUTE_MS } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import type { Store } from '../../store/store.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { clockTopic } from '../../topics.ts';
import { lakeMarkets } from '../lake/lake-markets.ts';
import { createMarketReader } from '../market-tape/market-reader.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { createTapeCoverage } from '../tape/tape-coverage.ts';
import { createTapeReader, type PageChunk } from '../tape/tape-reader.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { sealTail } from '../tape/testing/seal-tail.ts';
import { TickTable } from '../tape/tick-table.ts';
import { Archive } from './archive.ts';
import { ArchiveCatalog } from './archive-catalog.ts';
import { readManifest } from './archive-manifest.ts';
import { ArchiveError, type ArchivePlace } from './archive-place.ts';
import { lostDays } from './archive-reader.ts';
import { withArchive } from './archived-store.ts';
import { DamageList } from './damage-list.ts';
import { checkBytes, type FileSteps, FolderPlace, systemSteps } from './folder-place.ts';
import { restoreCatalog } from './restore-catalog.ts';
import { sealDay, type SealOrder } from './seal-day.ts';
import { verifyArchive } from './verify-archive.ts';

const DAY = Date.parse('2026-11-09T00:00:00Z');
const NOW = DAY + 2 * DAY_MS + HOUR_MS;
/** Every step is tried in the long run. */
const STEPS_APART = process.env['LONG'] ? 1 : 43;
const FOREVER = Number.MAX_SAFE_INTEGER;
const WAIT = { timeout: 120_000, interval: 5 };
const tapeFolder = 'tape/venue=hyperliquid/symbol=BTC/date=2026-11-09/';
const tradesKey = 'trades/venue=hyperliquid/symbol=BTC/date=2026-11-09/part-0.parquet';
const log = { debug() {}, info() {}, warn() {}, error() {} };

let folder: string;
let store: MemoryStore;
let place: FolderPlace;
const clock = new ManualClock(NOW);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-archive-'));
  place = new FolderPlace(join(folder, 'archive'));
  store = new MemoryStore();
  await recordTwoDays(store);
});
afterEach(() => rm(folder, { recursive: true }));

/** Two days of BTC, ETH in an open chunk of the first day, and a gap of BTC. */
async function recordTwoDays(into: Store): Promise<void> {
  const table = new TickTable(into);
  for (const [hour, tid] of [
    [1, 0],
    [2, 100],
    [25, 200],
    [49, 300],
  ] as const) {
    const ticks = ticksOf('BTC', DAY + hour * HOUR_MS, tid);
    await into.commit(table.sealing('BTC', ticks, ticks.length, []));
  }
  const quiet = ticksOf('ETH', DAY + 23 * HOUR_MS, 0);
  await into.commit(table.appending('ETH', quiet, 0, quiet.length, 1));
  const ledger = new GapLedger(into);
  const gap = {
    coin: 'BTC',
    from: DAY + 5_000,
    to: DAY + 6_000,
    state: 'missing',
    reason: 'no socket',
  } as const;
  await into.commit([ledger.extending({ from: DAY, to: NOW }), ...ledger.entering([gap])]);
}

function ticksOf(coin: string, fromTs: number, tid: number): TickBuffer {
  const buffer = new TickBuffer();
  // The first chunk was recorded without receive times.
  for (const trade of sampleTrades(fromTs, 100, tid))
    buffer.add({ ...trade, coin, ...(tid > 0 && { recvLagMs: trade.tid % 30 }) });
  return buffer;
}

/** An archive of a store as a process opens it; `archived` is the view of tape readers. */
async function openArchiveOf(own: MemoryStore, at: ArchivePlace = place) {
  const catalog = new ArchiveCatalog(own);
  if (!(await catalog.address())) await catalog.setAddress({ archive: folder, isRestored: false });
  const archived = withArchive(own, catalog, at);
  const bus = new LocalBus(clock);
  const damages = new DamageList(folder);
  const ticks = new TickTable(archived);
  const tape = createTapeReader({ table: ticks, bus });
  const lost = (venue: string) => lostDays(own, damages, venue);
  const options = {
    clock,
    bus,
    retentionDays: Number.POSITIVE_INFINITY,
    venue: 'hyperliquid',
    recordCoins: 'all',
  };
  const coverage = createTapeCoverage({ ...options, ledger: new GapLedger(own), lost: lost('hyperliquid') });
  const reader = createMarketReader({
    ...options,
    store: archived,
    venues: [],
    primary: { ticks, tape, coverage },
  });
  const jobs = {
    run: (_: unknown, order: SealOrder) => sealDay(order, (_place, read) => read(archived), at),
    stop: async () => undefined,
  } as JobRunner;
  const archive = await Archive.open({
    clock,
    bus,
    log,
    jobs,
    store: own,
    folder,
    address: { archive: folder },
    catalog,
    place: at,
    damages,
    markets: () => lakeMarkets(reader, 'hyperliquid'),
    primaryVenue: 'hyperliquid',
    prefix: 'sim:',
  });
  const pages = async (coin: string): Promise<readonly PageChunk[]> =>
    (
      await tape.page({
        coin,
        fromTs: 0,
        toTs: FOREVER,
        chunksMax: 100,
        withIds: true,
        withReceipts: true,
      })
    ).chunks;
  const forget = (): Promise<void> => new TickTable(own).prune(NOW - HOUR_MS, catalog);
  return { archive, bus, catalog, coverage, damages, pages, forget, ticks };
}

describe('a sealed day', () => {
  it('leaves the store and is read as before: the same chunks, byte by byte', async () => {
    const { archive, pages, forget, ticks, catalog } = await openArchiveOf(store);
    const [btc, eth] = [await pages('BTC'), await pages('ETH')];
    expect(btc.map(({ receipts }) => receipts !== undefined)).toEqual([false, true, true, true]);
    await forget();
    expect(await pages('BTC')).toEqual(btc);
    expect(await new TickTable(store).names('BTC', 0, FOREVER, 10)).toHaveLength(4);

    expect(await archive.seal()).toMatchObject({ sealed: ['2026-11-09', '2026-11-10'] });
    await sealTail(new TickTable(store), 'ETH');
    await forget();
    expect(await new TickTable(store).names('BTC', 0, FOREVER, 10)).toHaveLength(1);
    expect(await new TickTable(store).coins()).toEqual(['BTC']);
    expect(await pages('BTC')).toEqual(btc);
    expect((await pages('ETH')).map(plain)).toEqual(eth.map(plain));
    expect(await ticks.coins()).toEqual(['BTC', 'ETH']);
    expect((await ticks.newest('BTC'))?.trades).toBe(100);

    const manifest = await readManifest(place);
    const ofBtc = manifest.find(({ key }) => key.startsWith(tapeFolder));
    expect(ofBtc).toMatchObject({ rows: 200, complete: false, market: 'hyperliquid:BTC' });
    for (const file of manifest) await checkBytes(file.key, place.stream(file.key), file);
    expect(manifest.map(({ key }) => key)).toEqual(archive.files.map(({ key }) => key));
    expect(archive.health).toEqual({ status: 'ok', waitingDays: 0, newestDay: '2026-11-10' });
    expect(await archive.seal()).toEqual({ sealed: [], files: 0 });
    expect(await catalog.hasChunk(['hyperliquid:BTC', 1, 2, 3])).toBe(false);
  });

  it('is sealed again when trades were added to it, with those that have left the store', async () => {
    const { archive, pages, forget } = await openArchiveOf(store);
    await archive.seal();
    await forget();
    const more = ticksOf('BTC', DAY + 5 * HOUR_MS, 500);
    await store.commit(new TickTable(store).sealing('BTC', more, more.length, []));
    expect(await archive.seal()).toMatchObject({ sealed: ['2026-11-09'] });
    await forget();
    expect((await pages('BTC')).map(({ startTs }) => (startTs - DAY) / HOUR_MS)).toEqual([1, 2, 5, 25, 49]);
  });

  it('is known to a new store, with its gaps, once the archive is read', async () => {
    const { archive, pages, coverage } = await openArchiveOf(store);
    const [btc, gaps] = [await pages('BTC'), await coverage.gaps('BTC', DAY, DAY + 2 * DAY_MS)];
    await archive.seal();
    const empty = new MemoryStore();
    const found = await openArchiveOf(empty);
    expect(await restoreCatalog(empty, found.catalog, place)).toMatchObject({
      days: 3,
      trades: 400,
      unreadable: [],
    });
    expect(await found.pages('BTC')).toEqual(btc.slice(0, 3));
    expect(await found.coverage.gaps('BTC', DAY, DAY + 2 * DAY_MS)).toEqual(gaps);
  });
});

function tapeKeyIn({ files }: Archive): string {
  return files.find(({ key }) => key.startsWith(tapeFolder))?.key ?? '';
}

function plain({ data: _, ids: __, ...name }: PageChunk): object {
  return name;
}

describe('a process that dies while it seals', () => {
  /** File steps whose nth and all later ones fail, as after a kill; `count` is the number of steps. */
  function dyingAt(nth: number): { readonly steps: FileSteps; readonly count: () => number } {
    let count = 0;
    const step = async (run: () => Promise<void>): Promise<void> => {
      count += 1;
      if (count >= nth) throw new ArchiveError('killed');
      await run();
    };
    return {
      count: () => count,
      steps: {
        copy: (from, to) =>
          step(() => systemSteps.copy(from, to)).catch(async (error: unknown) => {
            // Half of the bytes were written.
            await writeFile(to, (await readFile(from)).subarray(0, 100));
            throw error;
          }),
        write: (path, text) => step(() => systemSteps.write(path, text)),
        sync: (path) => step(() => systemSteps.sync(path)),
        rename: (from, to) => step(() => systemSteps.rename(from, to)),
      },
    };
  }

  it('leaves a proven day or none, at any step', async () => {
    const whole = await (await openArchiveOf(store)).pages('BTC');
    for (let nth = 1, isOver = false; !isOver; nth += STEPS_APART) {
      const own = new MemoryStore();
      await recordTwoDays(own);
      await rm(join(folder, 'archive'), { recursive: true, force: true });
      const dying = dyingAt(nth);
      const at = new FolderPlace(join(folder, 'archive'), dying.steps);
      const first = await openArchiveOf(own, at);
      isOver = await first.archive.seal().then(
        () => true,
        () => false,
      );
      await expectProvenOrNone(own);
      const next = await openArchiveOf(own);
      await next.forget();
      expect(await next.pages('BTC'), `after step ${nth}`).toEqual(whole);
      await next.archive.seal();
      await next.forget();
      expect(await next.pages('BTC')).toEqual(whole);
      expect(nth, 'steps').toBeLessThan(300);
    }
    expect(
      (await readdir(join(folder, 'archive'), { recursive: true })).filter((name) => name.endsWith('.part')),
    ).toEqual([]);
  });

  it('leaves none when the catalogue cannot be written', async () => {
    const { archive, catalog } = await openArchiveOf(store);
    store.onCommit = () => {
      throw new Error('disk full');
    };
    await expect(archive.seal()).rejects.toThrow('disk full');
    store.onCommit = undefined;
    expect(await catalog.chunkKeys({ limit: 10 })).toEqual([]);
    await expectProvenOrNone(store);
    expect(await archive.seal()).toMatchObject({ sealed: ['2026-11-09', '2026-11-10'] });
  });

  /** Every file in the manifest or the catalogue exists as it was sealed. */
  async function expectProvenOrNone(own: MemoryStore): Promise<void> {
    const catalog = new ArchiveCatalog(own);
    for (const file of await readManifest(place)) await checkBytes(file.key, place.stream(file.key), file);
    for await (const file of catalog.files()) await checkBytes(file.key, place.stream(file.key), file);
  }
});

describe('the time', () => {
  it('was compared with a venue and is not ahead when a day is sealed', async () => {
    const { archive, bus, catalog } = await openArchiveOf(store);
    const reads = vi.spyOn(catalog, 'address');
    archive.start();
    clock.advance(2 * MINUTE_MS);
    await nextTurn();
    const ahead = { skewMs: 8 * HOUR_MS, stepMs: 0, isWrong: true };
    bus.publish(clockTopic, ahead);
    clock.advance(MINUTE_MS);
    await nextTurn();
    expect(reads).not.toHaveBeenCalled();
    // The machine's clock was set, and the service goes by its own.
    bus.publish(clockTopic, { ...ahead, stepMs: ahead.skewMs });
    clock.advance(MINUTE_MS);
    await vi.waitFor(() => expect(archive.health.newestDay).toBe('2026-11-10'), WAIT);
    await archive.stop();
  });
});

describe('an archive that is full', () => {
  it('leaves the days in the store, says so, and is tried again until it has room', async () => {
    let isFull = true;
    const steps: FileSteps = {
      ...systemSteps,
      copy: async (from, to) => {
        if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        await systemSteps.copy(from, to);
      },
    };
    const at = new FolderPlace(join(folder, 'archive'), steps);
    const { archive, bus, pages, forget } = await openArchiveOf(store, at);
    const before = await pages('BTC');
    bus.publish(clockTopic, { skewMs: 0, stepMs: 0, isWrong: false });
    archive.start();
    clock.advance(2 * MINUTE_MS);
    await vi.waitFor(() => expect(archive.health.status).toBe('failing'), WAIT);
    expect(archive.health).toMatchObject({ waitingDays: 2, sinceMs: clock.now() });
    expect(archive.health.error).toContain('no space left');
    await forget();
    expect(await new TickTable(store).names('BTC', 0, FOREVER, 10)).toHaveLength(4);
    expect(await pages('BTC')).toEqual(before);

    isFull = false;
    clock.advance(10 * MINUTE_MS);
    await vi.waitFor(() => expect(archive.health.status).toBe('ok'), WAIT);
    expect(archive.health).toEqual({ status: 'ok', waitingDays: 0, newestDay: '2026-11-10' });
    await forget();
    expect(await new TickTable(store).names('BTC', 0, FOREVER, 10)).toHaveLength(1);
    expect(await pages('BTC')).toEqual(before);
    await archive.stop();
  });
});

describe('a damaged file', () => {
  async function damage(key: string): Promise<void> {
    const path = join(folder, 'archive', key);
    const bytes = await readFile(path);
    bytes[20] = (bytes[20] as number) ^ 1;
    await writeFile(path, bytes);
  }

  it('is found, its day is not complete, and none of its bytes are served', async () => {
    const { archive, catalog, coverage, damages, pages, forget } = await openArchiveOf(store);
    await archive.seal();
    const verify = () => verifyArchive({ catalog, place, list: damages, clock });
    expect((await verify()).damages).toEqual([]);
    await damage(tapeKeyIn(archive));
    expect((await verify()).damages).toMatchObject([{ key: tapeKeyIn(archive) }]);
    // The store still has the day.
    expect(await coverage.gaps('BTC', DAY + DAY_MS / 2, DAY + DAY_MS)).toEqual([]);
    await forget();
    expect(await coverage.gaps('BTC', DAY + DAY_MS / 2, DAY + DAY_MS)).toMatchObject([
      { from: DAY, to: DAY + DAY_MS, state: 'missing', reason: 'the archived day is damaged' },
    ]);
    await expect(pages('BTC')).rejects.toThrow(`${tapeKeyIn(archive)} is damaged`);
  });

  it('is made again while the store, or the archived tape, has the day', async () => {
    const { archive, catalog, damages, forget } = await openArchiveOf(store);
    await archive.seal();
    const verify = () => verifyArchive({ catalog, place, list: damages, clock });
    await damage(tapeKeyIn(archive));
    await verify();
    expect(await archive.seal()).toMatchObject({ sealed: ['2026-11-09'] });
    expect(await damages.all()).toEqual(new Map());
    await forget();
    await damage(tradesKey);
    expect((await verify()).damages).toHaveLength(1);
    expect(await archive.seal()).toMatchObject({ sealed: ['2026-11-09'] });
    expect((await verify()).damages).toEqual([]);
  });

  it('is not reported when the whole archive is away', async () => {
    const { archive, catalog, damages } = await openArchiveOf(store);
    await archive.seal();
    await rm(join(folder, 'archive'), { recursive: true });
    await expect(verifyArchive({ catalog, place, list: damages, clock })).rejects.toThrow('no manifest.json');
  });
});
