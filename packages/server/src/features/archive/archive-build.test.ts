import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createBuilder,
  createTickColumns,
  DAY_MS,
  decodeTicks,
  splitPayloads,
  validateSpec,
} from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDataFolder } from '../../store/data-folder.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { readPayloads } from '../rotations/read-payloads.ts';
import { TickTable } from '../tape/tick-table.ts';
import { ArchiveCatalog } from './archive-catalog.ts';
import { withArchive } from './archived-store.ts';
import { FolderPlace } from './folder-place.ts';
import { sealDay } from './seal-day.ts';

const isLong = process.env['LONG'] === '1';
const START = Date.parse('2026-08-01T00:00:00Z');
const DAYS = isLong ? 90 : 4;
const CHUNK_TRADES = 8_192;
/** In the long run the decoded trades of all days would take 500 MB. */
const DAY_CHUNKS = isLong ? 26 : 2;
const DAY_TRADES = DAY_CHUNKS * CHUNK_TRADES;
/** A build keeps a few chunks and the bars: most of it is garbage that is not collected yet. */
const GROWTH_BYTES_MAX = 200 * 2 ** 20;
const market = 'hyperliquid:BTC';

let folder: string;
let store: LmdbStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-archive-build-'));
  store = new LmdbStore(await openDataFolder(folder, 'live'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Memory of this thread; RSS would include other tests in the process. */
function ownBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** A chunk of trades that are evenly spread over a part of a day. */
async function recordChunk(table: TickTable, fromTs: number, spanMs: number): Promise<void> {
  const columns = createTickColumns(CHUNK_TRADES);
  columns.length = CHUNK_TRADES;
  columns.priceDecimals = 1;
  columns.sizeDecimals = 3;
  for (let i = 0; i < CHUNK_TRADES; i += 1) {
    columns.ts[i] = fromTs + Math.floor((i * spanMs) / CHUNK_TRADES);
    columns.price[i] = 600_000 + ((i * 7_919) % 401);
    columns.size[i] = 1 + ((i * 104_729) % 9_973);
    columns.isBuy[i] = i % 3 === 0 ? 1 : 0;
  }
  const tid = Float64Array.from({ length: CHUNK_TRADES }, (_, i) => (fromTs + i * 2_654_435_761) % 2 ** 50);
  const ids = { length: CHUNK_TRADES, tid, lateMs: new Float64Array(CHUNK_TRADES) };
  await store.commit(table.sealing('BTC', { columns, ids }, CHUNK_TRADES, []));
}

it(
  `builds bars over ${DAYS} archived days${isLong ? ' with bounded memory' : ''}`,
  async () => {
    const table = new TickTable(store);
    const place = new FolderPlace(join(folder, 'archive'));
    const catalog = new ArchiveCatalog(store);
    for (let day = 0; day < DAYS; day += 1) {
      const fromTs = START + day * DAY_MS;
      for (let chunk = 0; chunk < DAY_CHUNKS; chunk += 1)
        await recordChunk(table, fromTs + Math.floor((chunk * DAY_MS) / DAY_CHUNKS), DAY_MS / DAY_CHUNKS);
      const date = new Date(fromTs).toISOString().slice(0, 10);
      const { tape } = await sealDay(
        {
          place: folder,
          address: { archive: folder },
          scratch: join(folder, 'scratch'),
          tape: {
            facts: { market, date, gaps: [], spans: [] },
            range: { venue: 'hyperliquid', symbol: 'BTC', fromTs, toTs: fromTs + DAY_MS },
          },
          files: [],
        },
        (_, read) => read(store),
        place,
      );
      if (!tape) throw new Error('nothing was sealed');
      await catalog.commit(catalog.entering([], { market, sha256: tape.sha256, chunks: tape.chunks }));
    }
    await table.prune(START + 2 * DAYS * DAY_MS, catalog);
    const range = { coin: 'BTC', fromTs: START, toTs: START + DAYS * DAY_MS };
    expect(await table.chunks('BTC', range.fromTs, range.toTs, 1)).toEqual([]);

    const check = validateSpec('time', { intervalMs: 3_600_000 }, 1);
    if ('error' in check) throw new Error(check.error);
    const builder = createBuilder(check.spec);
    const before = { own: ownBytes(), rss: process.memoryUsage.rss() };
    const peak = { ...before };
    for await (const payloads of readPayloads(new TickTable(withArchive(store, catalog, place)), range))
      for (const payload of splitPayloads(payloads)) {
        const columns = decodeTicks(payload);
        builder.add(columns, 0, columns.length);
        peak.own = Math.max(peak.own, ownBytes());
        peak.rss = Math.max(peak.rss, process.memoryUsage.rss());
      }
    expect(builder.trades).toBe(DAYS * DAY_TRADES);
    if (isLong) expect(peak.own - before.own).toBeLessThan(GROWTH_BYTES_MAX);
    const grownMb = (what: 'own' | 'rss'): number => Math.round((peak[what] - before[what]) / 2 ** 20);
    if (isLong)
      process.stderr.write(
        `a build over ${DAYS} days: memory grew by ${grownMb('own')} MB, RSS by ${grownMb('rss')} MB\n`,
      );
  },
  isLong ? 1_800_000 : 120_000,
);
