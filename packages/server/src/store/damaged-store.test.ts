import { closeSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { DamagedStoreError } from './damaged-store.ts';
import { LmdbFile } from './lmdb-file.ts';
import { decodeKey } from './lmdb-key.ts';
import { LmdbStore } from './lmdb-store.ts';
import { openLmdb } from './open-lmdb.ts';
import { storePerTest } from './testing/store-per-test.ts';

const ROWS = 3_000;

const place = storePerTest();
let file: string;

beforeEach(async () => {
  const { store, folder } = place;
  file = join(folder, 'data.mdb');
  const chunks = store.table('chunks', 'binary');
  const gaps = store.table<object>('gaps', 'json');
  const keys = Array.from({ length: ROWS }, (_, i) => ['BTC', i]);
  await store.commit([
    chunks.puts(keys.map((key, i) => ({ key, value: new Uint8Array(i % 50 === 0 ? 9_000 : 40).fill(i) }))),
    gaps.puts(keys.map((key, i) => ({ key, value: { i } }))),
  ]);
  await store.close();
});

function overwrite(at: number, bytes: Uint8Array): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
}

/** Opens the store of the test, which closes it. */
async function reopen(): Promise<LmdbStore> {
  place.store = await openLmdb(place.folder);
  return place.store;
}

describe('the file of a store', () => {
  it('is read without lmdb as lmdb reads it', async () => {
    const own = await LmdbFile.open(file);
    const [newest] = own.snapshots;
    // Compared as text: buffers are compared byte by byte.
    const tables = new Map<string, readonly (readonly [unknown, string])[]>();
    for await (const { key, value } of own.rows(newest?.main ?? never(), never)) {
      if (value.kind !== 'tree') continue;
      const rows: (readonly [unknown, string])[] = [];
      for await (const row of own.rows(value.tree, never))
        rows.push([decodeKey(row.key), Buffer.from(await own.bytesOf(row.value)).toString('latin1')]);
      tables.set(String(decodeKey(key)), rows);
    }
    await own.close();
    const store = await reopen();
    expect([...tables.keys()]).toEqual(store.tableNames());
    for (const [name, rows] of tables) {
      const known = await store.table(name, 'binary').range({ limit: ROWS * 2 });
      expect(rows).toEqual(
        known.map(({ key, value }) => [key, Buffer.from(value as Uint8Array).toString('latin1')]),
      );
    }
  });

  it.each([
    ['is cut short', () => truncateSync(file, statSync(file).size - 100_000)],
    ['is cut to nothing', () => truncateSync(file, 0)],
    ['does not begin as one', () => overwrite(0, new Uint8Array(100))],
    ['has a page that was overwritten', () => overwrite(statSync(file).size / 2, new Uint8Array(40_000))],
    ['is another file', () => writeFileSync(file, 'hello '.repeat(10_000))],
  ])('is refused when it %s, with the folder and the remedy', async (_, damage) => {
    damage();
    const error = await openLmdb(place.folder).catch((reason: unknown) => reason);
    place.store = new LmdbStore(`${place.folder}/other`);
    expect(error).toBeInstanceOf(DamagedStoreError);
    expect((error as Error).message).toContain(`the store in ${place.folder} is damaged: data.mdb: `);
    expect((error as Error).message).toContain('crosstape ticks salvage');
  });

  it('is new when a process was killed while it made it', async () => {
    truncateSync(file, 0);
    // Written with the first commit.
    rmSync(join(place.folder, 'reserve'));
    expect((await reopen()).tableNames()).toEqual([]);
  });
});

it('a row that cannot be read names its key and file', async () => {
  const store = await reopen();
  const broken = store.table('gaps', 'binary');
  await store.commit([broken.puts([{ key: ['BTC', 5], value: Buffer.from('{"i":') }])]);
  const named = `row BTC 5 of gaps in ${file} is damaged: `;
  await expect(store.table('gaps', 'json').get(['BTC', 5])).rejects.toThrow(named);
  await expect(store.table('gaps', 'json').range({ limit: 10 })).rejects.toThrow(named);
});

function never(): never {
  throw new Error('must not be called');
}
