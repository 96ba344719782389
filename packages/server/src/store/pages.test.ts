import { expect, it } from 'vitest';
import { keyPagesOf, oldestKeysOf, pagesOf, removeOlder, removeRange } from './pages.ts';
import type { Key, Store, Table } from './store.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { storePerTest } from './testing/store-per-test.ts';

const place = storePerTest();

/** A table with rows of two coins at ten times each. */
async function filled(store: Store = place.store): Promise<Table<number>> {
  const table = store.table<number>('rows', 'json');
  const entries = ['BTC', 'ETH'].flatMap((coin) =>
    Array.from({ length: 10 }, (_, i) => ({ key: [coin, i * 10], value: i })),
  );
  await store.commit([table.puts(entries)]);
  return table;
}

async function timesOf(pages: AsyncIterable<readonly Key[]>): Promise<readonly (readonly unknown[])[]> {
  const times = [];
  for await (const page of pages) times.push(page.map((key) => key[1]));
  return times;
}

const range = { from: ['BTC', 10], to: ['BTC', 80], pageRows: 3 };

it('reads a range in pages, from either end', async () => {
  const table = await filled();
  expect(await timesOf(keyPagesOf(table, range))).toEqual([[10, 20, 30], [40, 50, 60], [70]]);
  expect(await timesOf(keyPagesOf(table, { ...range, reverse: true }))).toEqual([
    [70, 60, 50],
    [40, 30, 20],
    [10],
  ]);
  const values = [];
  for await (const rows of pagesOf(table, range)) values.push(rows.map(({ value }) => value));
  expect(values).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
});

it('gives no page of an empty range, and none behind the last full one', async () => {
  const table = await filled();
  expect(await timesOf(keyPagesOf(table, { from: ['SOL'], pageRows: 3 }))).toEqual([]);
  expect(await timesOf(keyPagesOf(table, { ...range, to: ['BTC', 70] }))).toEqual([
    [10, 20, 30],
    [40, 50, 60],
  ]);
});

it('gives others a turn between pages, and then each caller one page', async () => {
  const table = await filled(new MemoryStore());
  const order: string[] = ['begin'];
  setImmediate(() => order.push('another'));
  const read = async (name: string, caller: string): Promise<void> => {
    for await (const _ of keyPagesOf(table, { ...range, pageRows: 4, caller })) order.push(name);
  };
  await Promise.all([read('a', '10.0.0.1'), read('a again', '10.0.0.1'), read('b', '10.0.9.1')]);
  expect(order).toEqual(['begin', 'a', 'a again', 'b', 'another', 'a', 'b', 'a again']);
});

it('removes a range, and nothing beside it', async () => {
  const table = await filled();
  await removeRange(place.store, table, range);
  const left = await table.keys({ to: ['ETH'], limit: 99 });
  expect(left.map((key) => key[1])).toEqual([0, 80, 90]);
  expect(await table.keys({ from: ['ETH'], limit: 99 })).toHaveLength(10);
});

it('ends where nothing is removed, as in a process that is not the one that writes', async () => {
  const table = await filled();
  const committed: number[] = [];
  const other = { commit: async () => void committed.push(1) } as unknown as Store;
  await removeRange(other, table, range);
  expect(committed).toHaveLength(3);
});

it('removes what is older, coin by coin', async () => {
  const table = await filled();
  await place.store.commit([table.puts([{ key: ['NEW', 500], value: 0 }])]);
  await removeOlder(place.store, table, 60);
  const oldest = [];
  for await (const key of oldestKeysOf(table)) oldest.push(key);
  expect(oldest).toEqual([
    ['BTC', 60],
    ['ETH', 60],
    ['NEW', 500],
  ]);
});
