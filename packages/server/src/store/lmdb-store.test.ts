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
