import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LmdbStore } from './lmdb-store.ts';
import type { Change, Key } from './store.ts';

let folder: string;
let store: LmdbStore;
let tables = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  store = new LmdbStore(folder);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function compare(a: Key, b: Key): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const [x, y] = [a[i], b[i]] as [string | number, string | number];
    if (x === y) continue;
    if (typeof x !== typeof y) return typeof x === 'number' ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}

const keys = fc.tuple(
  fc.constantFrom('BTC', 'ETH', 'kPEPE', '*'),
  fc.integer({ min: 0, max: 2_000_000_000_000 }),
  fc.integer({ min: 0, max: 2 ** 50 }),
);

it('gives any range, forwards and backwards, as a sorted array would', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(keys, { selector: (key) => JSON.stringify(key), maxLength: 30 }),
      fc.option(keys, { nil: undefined }),
      fc.option(keys, { nil: undefined }),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      async (all, from, to, reverse, limit) => {
        tables += 1;
        const table = store.table<number>(`t${tables}`, 'json');
        await store.commit([table.puts(all.map((key, value) => ({ key, value })))]);
        const expected = all
          .map((key, value) => ({ key, value }))
          .filter(({ key }) => (!from || compare(key, from) >= 0) && (!to || compare(key, to) < 0))
          .toSorted((a, b) => compare(a.key, b.key) * (reverse ? -1 : 1))
          .slice(0, limit);
        const range = { ...(from ? { from } : {}), ...(to ? { to } : {}), reverse, limit };
        expect(await table.range(range)).toEqual(expected);
        expect(await table.keys(range)).toEqual(expected.map(({ key }) => key));
      },
    ),
    { numRuns: 40, seed: 7 },
  );
});

it('has what was written when it is opened again', async () => {
  await store.commit([
    store.table<object>('things', 'json').puts([{ key: ['a', 1], value: { price: 69_997.5 } }]),
    store.table('bytes', 'binary').puts([{ key: ['a'], value: new Uint8Array([1, 2, 3]) }]),
  ]);
  await store.close();
  store = new LmdbStore(folder);
  expect(await store.table('things', 'json').get(['a', 1])).toEqual({ price: 69_997.5 });
  const bytes = await store.table('bytes', 'binary').get(['a']);
  expect([...(bytes as Uint8Array)]).toEqual([1, 2, 3]);
});

it('forgets what is removed', async () => {
  const table = store.table<number>('things', 'json');
  await store.commit([
    table.puts([
      { key: ['a'], value: 1 },
      { key: ['b'], value: 2 },
    ]),
  ]);
  await store.commit([table.removes([['a']])]);
  expect(await table.range({ limit: 10 })).toEqual([{ key: ['b'], value: 2 }]);
});

it('commits all changes or none', async () => {
  const table = store.table<unknown>('things', 'json');
  const unwritable = { toJSON: () => expect.fail('cannot be written') };
  const changes = [table.puts([{ key: ['a'], value: 1 }]), table.puts([{ key: ['b'], value: unwritable }])];
  await expect(store.commit(changes)).rejects.toThrow();
  const endless = table.puts([{ key: ['x'.repeat(2_000)], value: 1 }]);
  await expect(store.commit([changes[0] as Change, endless])).rejects.toThrow('a key of 2001 bytes');
  const unknown = { table: 'nobody', put: [], remove: [] };
  await expect(store.commit([changes[0] as Change, unknown])).rejects.toThrow('no table nobody is open');
  expect(await table.range({ limit: 10 })).toEqual([]);
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

it('answers a probe while it can be written to', async () => {
  await expect(store.probe()).resolves.toBeUndefined();
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
