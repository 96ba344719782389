import { createIdColumns, createTickColumns, decodeIds, decodeTicks } from '@crosstape/core';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { gunzipChunk } from './chunk-gzip.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { TickTable, type Ticks } from './tick-table.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { runs } from '../../../../../test/runs.ts';

const place = storePerTest();
let store: LmdbStore;
let table: TickTable;

beforeEach(() => {
  ({ store } = place);
  table = new TickTable(store);
});

function ticks(times: readonly number[]): Ticks {
  const columns = createTickColumns(times.length);
  const ids = createIdColumns(times.length);
  columns.length = times.length;
  ids.length = times.length;
  columns.ts.set(times);
  columns.price.set(times.map((_, i) => 100 + i));
  columns.size.set(times.map((_, i) => 1 + i));
  ids.tid.set(times.map((ts, i) => ts * 10 + i));
  return { columns, ids };
}

const sealed = (coin: string, times: readonly number[], positions: readonly number[] = []) =>
  table.commit(table.sealing(coin, ticks(times), times.length, positions));

it('gives exactly the chunks with a trade in the range, however the range lies', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 0, max: 210 }),
      fc.integer({ min: 0, max: 210 }),
      async (unsorted, perChunk, a, b) => {
        const times = unsorted.toSorted((x, y) => x - y);
        const coin = `c${times.join('.')}.${perChunk}`.slice(0, 60);
        const groups: number[][] = [];
        for (let i = 0; i < times.length; i += perChunk) groups.push(times.slice(i, i + perChunk));
        for (const group of groups) await sealed(coin, group);
        const [from, to] = [Math.min(a, b), Math.max(a, b) + 1];
        // A chunk whose interval meets the range belongs to the answer even if none of its trades does.
        const expected = groups.filter(
          (group) => (group[0] as number) < to && (group.at(-1) as number) >= from,
        );
        const found = await table.chunks(coin, from, to, 1_000);
        expect(found.map(({ startTs, endTs, trades }) => [startTs, endTs, trades])).toEqual(
          expected.map((group) => [group[0], group.at(-1), group.length]),
        );
        const named = found.map(({ data: _, ...name }) => name);
        expect(await table.names(coin, from, to, 1_000)).toEqual(named);
      },
    ),
    { numRuns: runs(40), seed: 3 },
  );
});

it('serves what it stores: one gzip member with the trades, another with their ids', async () => {
  await sealed('BTC', [1, 2, 2]);
  const [chunk] = await table.chunks('BTC', 0, 10, 5);
  const [ids] = await table.chunkIds('BTC', 0, 10, 5);
  const columns = decodeTicks(gunzipChunk(chunk?.data as Uint8Array));
  expect([...columns.ts.subarray(0, columns.length)]).toEqual([1, 2, 2]);
  expect([...decodeIds(gunzipChunk(ids?.data as Uint8Array)).tid.subarray(0, 3)]).toEqual([10, 21, 22]);
});

it('moves a tail into a chunk in one commit, and leaves later pieces in the tail', async () => {
  await table.commit(table.appending('ETH', ticks([1, 2]), 0, 2, 1));
  await table.commit(table.appending('ETH', ticks([3]), 0, 1, 2));
  expect((await table.tail('ETH')).map(({ position, columns }) => [position, columns.length])).toEqual([
    [1, 2],
    [2, 1],
  ]);
  await sealed('ETH', [1, 2], [1]);
  expect((await table.tail('ETH')).map(({ position }) => position)).toEqual([2]);
  expect(await table.coins()).toEqual(['ETH']);
  expect((await table.newest('ETH'))?.endTs).toBe(2);
});

it('prunes chunks that lie wholly before a time', async () => {
  await sealed('BTC', [1, 5]);
  await sealed('BTC', [6, 9]);
  await sealed('kPEPE', [2]);
  await table.prune(6);
  expect((await table.chunks('BTC', 0, 100, 5)).map(({ startTs }) => startTs)).toEqual([6]);
  expect(await table.coins()).toEqual(['BTC']);
});

it('prunes no tail: its recorder seals it first', async () => {
  await table.commit(table.appending('OLD', ticks([1, 2]), 0, 2, 1));
  await table.prune(6);
  expect((await table.tail('OLD')).map(({ position }) => position)).toEqual([1]);
});
