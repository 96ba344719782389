import { createIdColumns, createTickColumns, decodeTicks, splitPayloads } from '@crosstape/core';
import { BadRowError } from '../../store/bad-row.ts';
import { beforeEach, expect, it } from 'vitest';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { marketKey, PRIMARY_VENUE } from '../../store/market-key.ts';
import { TickTable, tickTables } from '../tape/tick-table.ts';
import { readPayloads } from './read-payloads.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';

const place = storePerTest();
let store: LmdbStore;
let table: TickTable;

beforeEach(() => {
  ({ store } = place);
  table = new TickTable(store);
});

/** A chunk of one trade at each of these times. */
async function seal(times: readonly number[]): Promise<void> {
  const columns = createTickColumns(1);
  const ids = createIdColumns(1);
  columns.length = 1;
  ids.length = 1;
  for (const ts of times) {
    columns.ts[0] = ts;
    await table.commit(table.sealing('BTC', { columns, ids }, 1, []));
  }
}

it.each([0, 1, 31, 32, 33, 64, 70])('gives the trades of %i chunks once and in order', async (count) => {
  const times = Array.from({ length: count }, (_, i) => 10 + i);
  await seal([3, ...times, 90]);
  const found: number[] = [];
  for await (const payloads of readPayloads(table, { coin: 'BTC', fromTs: 10, toTs: 90 })) {
    for (const payload of splitPayloads(payloads)) found.push(...decodeTicks(payload).ts);
  }
  expect(found).toEqual(times);
});

it.each([0, 100])('does not pass over a chunk that has become %i zeros', async (length) => {
  await seal([10, 20, 30]);
  const [, row] = await table.chunks('BTC', 10, 40, 2);
  const { coin, startTs, endTs, trades } = row!;
  const chunks = store.table<Uint8Array>(tickTables.chunks, 'binary');
  const key = [marketKey(PRIMARY_VENUE, coin), startTs, endTs, trades];
  await store.commit([chunks.puts([{ key, value: new Uint8Array(length) }])]);
  const reading = async (): Promise<void> => {
    for await (const _ of readPayloads(table, { coin: 'BTC', fromTs: 10, toTs: 40 }));
  };
  await expect(reading()).rejects.toThrow(BadRowError);
});
