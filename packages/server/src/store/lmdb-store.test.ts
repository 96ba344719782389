import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { LmdbStore } from './lmdb-store.ts';
import { storePerTest } from './testing/store-per-test.ts';

const place = storePerTest();
let folder: string;
let store: LmdbStore;

beforeEach(() => {
  ({ folder, store } = place);
});

it('is read by another that only reads, which sees later commits once it is renewed', async () => {
  const table = store.table<number>('things', 'json');
  await store.commit([table.puts([{ key: ['a'], value: 1 }])]);
  const reader = new LmdbStore(folder, { isReadOnly: true });
  const read = () => reader.table<number>('things', 'json').range({ limit: 10 });
  expect(await read()).toEqual([{ key: ['a'], value: 1 }]);
  expect(await reader.table('nothing', 'binary').keys({ limit: 10 })).toEqual([]);
  await store.commit([table.puts([{ key: ['b'], value: 2 }])]);
  reader.renew();
  expect(await read()).toHaveLength(2);
  await expect(reader.commit([table.puts([{ key: ['c'], value: 3 }])])).rejects.toThrow();
  await reader.close();
  expect(await table.get(['b'])).toBe(2);
});

it('holds on to what a reader saw first, when it is asked to', async () => {
  const table = store.table<number>('t', 'json');
  const put = (value: number) => store.commit([table.puts([{ key: ['a', value], value }])]);
  await put(1);
  const reader = new LmdbStore(folder, { isReadOnly: true });
  const seen = reader.table<number>('t', 'json');
  reader.hold();
  await put(2);
  expect(await seen.keys({ limit: 10 })).toEqual([['a', 1]]);
  expect((await seen.range({ limit: 10 })).map(({ value }) => value)).toEqual([1]);
  expect(await seen.get(['a', 2])).toBeUndefined();
  expect(await table.keys({ limit: 10 })).toHaveLength(2);
  await reader.close();
});

it('is closed after the commits that are under way', async () => {
  const table = store.table<number>('t', 'json');
  const committed = store.commit([table.puts([{ key: ['a'], value: 1 }])]);
  await store.close();
  await committed;
  place.store = new LmdbStore(folder);
  expect(await place.store.table<number>('t', 'json').get(['a'])).toBe(1);
});

it('counts the pages that no table uses, and fills them before the file grows', async () => {
  const table = store.table('chunks', 'binary');
  const keys = Array.from({ length: 100 }, (_, i) => ['BTC', i]);
  const put = () => store.commit([table.puts(keys.map((key) => ({ key, value: new Uint8Array(60_000) })))]);
  const fileBytes = () => statSync(join(folder, 'data.mdb')).size;
  await put();
  const grown = fileBytes();
  const free = store.freePageBytes();
  await store.commit([table.removes(keys)]);
  expect(store.freePageBytes() - free).toBeGreaterThan(6_000_000);
  await store.close();
  // A process that does not use the table counts its pages as well.
  store = new LmdbStore(folder);
  place.store = store;
  expect(store.freePageBytes() - free).toBeGreaterThan(6_000_000);
  store.table('chunks', 'binary');
  // lmdb does not reuse what the previous commit freed.
  for (let i = 0; i < 2; i += 1) await store.probe();
  await put();
  expect(fileBytes()).toBeLessThan(grown + 100_000);
  expect(store.freePageBytes()).toBeLessThan(free + 200_000);
});
