import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decodeIds, decodeTicks } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditTicks } from './audit-ticks.ts';
import { gunzipChunk } from './chunk-gzip.ts';
import { openDataFolder } from '../../store/data-folder.ts';
import { type Gap, GapLedger, type TapeSpan } from './gap-ledger.ts';
import { LmdbStore, STORE_FILE } from '../../store/lmdb-store.ts';
import { PRIMARY_VENUE } from '../../store/market-key.ts';
import { isOldTape, migrateTape, oldTables } from '../../store/migrate-tape.ts';
import { tradesOf } from './newest-trades.ts';
import { openLmdb } from '../../store/open-lmdb.ts';
import { TickTable } from './tick-table.ts';
import { WhaleTable } from '../whales/whale-table.ts';

/** Written by the last release before format version 2, and kept forever. */
const golden = (end: string): Buffer => readFileSync(new URL(`golden/version-1${end}`, import.meta.url));
const written = JSON.parse(golden('.jsonl').toString()) as {
  readonly trades: Readonly<Record<string, readonly number[][]>>;
  readonly gaps: readonly Gap[];
  readonly spans: readonly TapeSpan[];
};

let data: string;
let folder: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'crosstape-'));
  folder = join(data, 'live');
  mkdirSync(folder);
  writeFileSync(join(data, 'format.json'), '{"version":1}\n');
  writeFileSync(join(folder, STORE_FILE), gunzipSync(golden('.mdb.gz')));
});

afterEach(() => rmSync(data, { recursive: true }));

async function within<Result>(use: (store: LmdbStore) => Promise<Result>): Promise<Result> {
  const store = new LmdbStore(folder);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** All trades of a coin, sealed or not, as the golden file has them. */
async function recorded(table: TickTable, coin: string): Promise<readonly number[][]> {
  const owner = { coin, venue: PRIMARY_VENUE };
  const ids = await table.chunkIds(coin, 0, Number.MAX_SAFE_INTEGER, 100);
  const chunks = await table.chunks(coin, 0, Number.MAX_SAFE_INTEGER, 100);
  const sealed = chunks.map(({ data: bytes }, i) => ({
    columns: decodeTicks(gunzipChunk(bytes)),
    ids: decodeIds(gunzipChunk(ids[i]?.data as Uint8Array)),
  }));
  const all = [...sealed, ...(await table.tail(coin))].flatMap((ticks) => tradesOf(owner, ticks));
  return all.map(({ ts, venueTs = ts, price, size, side, sameOrder, tid }) => [
    ts,
    venueTs,
    price,
    size,
    Number(side === 'buy'),
    Number(sameOrder),
    tid,
  ]);
}

async function expectAll(store: LmdbStore): Promise<void> {
  const table = new TickTable(store);
  expect(await table.coins()).toEqual(Object.keys(written.trades));
  for (const [coin, trades] of Object.entries(written.trades))
    expect(await recorded(table, coin), coin).toEqual(trades);
  const ledger = new GapLedger(store);
  const gaps = await Promise.all((await table.coins()).map((coin) => ledger.gaps(coin, 0, Infinity)));
  expect(gaps.flat()).toEqual(written.gaps);
  expect(await ledger.spans(0, Infinity)).toEqual(written.spans);
  expect((await new WhaleTable(store).newest({ minUsd: 100_000, limit: 5 })).length).toBe(2);
  expect((await auditTicks(store)).damaged).toBe(0);
}

it('keeps every trade, gap and span of a version-1 folder', async () => {
  await openDataFolder(data, 'live');
  expect(JSON.parse(readFileSync(join(data, 'format.json'), 'utf8'))).toEqual({ version: 2 });
  const moved: number[] = [];
  const options = { onMigrated: (rows: number) => moved.push(rows) };
  const store = await openLmdb(folder, options);
  try {
    await expectAll(store);
  } finally {
    await store.close();
  }
  await (await openLmdb(folder, options)).close();
  expect(moved).toEqual([14]);
});

it('continues a migration that was interrupted between any two tables', async () => {
  for (const table of oldTables) {
    await within((store) => migrateTape(store, [table]));
    expect(await within((store) => isOldTape(store))).toBe(table !== oldTables.at(-1));
  }
  await within(expectAll);
});

it('refuses in one line to read a folder that was not migrated', async () => {
  await expect(openLmdb(folder, { isReadOnly: true })).rejects.toThrow(
    /^the record in .* format version 1.*$/,
  );
});

it('names the primary venue as the venues do', () => {
  expect(PRIMARY_VENUE).toBe(primaryVenue.id);
});
