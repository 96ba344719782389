import { HOUR_MS, type Trade } from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { newestTrades } from './newest-trades.ts';
import { TickBuffer } from './tick-buffer.ts';
import { TickTable } from './tick-table.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';

const owner = { coin: 'X', venue: 'hyperliquid' };

const place = storePerTest();
let store: LmdbStore;
let table: TickTable;

beforeEach(() => {
  ({ store } = place);
  table = new TickTable(store);
});

/** The given number of trades of one hour, a second apart, with tids that encode the time. */
function hour(number: number, trades: number): TickBuffer {
  const buffer = new TickBuffer();
  for (let i = 0; i < trades; i += 1) {
    const ts = (number + 1) * HOUR_MS + i * 1_000;
    const trade: Trade = {
      ...owner,
      side: 'buy',
      price: 1,
      size: 1,
      notionalUsd: 1,
      ts,
      tid: ts,
      sameOrder: false,
    };
    buffer.add(trade);
  }
  return buffer;
}

async function seal(hours: readonly TickBuffer[]): Promise<void> {
  for (const one of hours) await table.commit(table.sealing('X', one, one.length, []));
}

const tids = (buffers: readonly TickBuffer[]) =>
  buffers.flatMap(({ ids, length }) => [...ids.tid.subarray(0, length)]);

it('goes back over as many chunks as it takes to know 256 trades, and no further', async () => {
  const hours = Array.from({ length: 100 }, (_, i) => hour(i, 4));
  const open = hour(100, 2);
  await seal(hours);
  const newest = await newestTrades(table, owner, open);
  expect(newest.map(({ tid }) => tid)).toEqual(tids([...hours.slice(-64), open]));
});

it('gives all there is of a coin with fewer trades, and the newest 2,048 of one with many', async () => {
  expect(await newestTrades(table, owner, new TickBuffer())).toEqual([]);
  const hours = [hour(0, 3), hour(1, 1)];
  await seal(hours);
  expect((await newestTrades(table, owner, new TickBuffer())).map(({ tid }) => tid)).toEqual(tids(hours));
  const busy = hour(2, 3_000);
  expect((await newestTrades(table, owner, busy)).map(({ tid }) => tid)).toEqual(tids([busy]).slice(-2_048));
});
