import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, notionalUsdOf, type Trade } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { OrderSizes } from './order-sizes.ts';
import { withReader } from '../../cluster/thread-reader.ts';
import { recallSizes } from './order-sizes-on-tape.ts';

const START_MS = Math.floor(1_763_164_800_000 / HOUR_MS) * HOUR_MS;
let folder: string;
let store: LmdbStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-sizes-'));
  store = new LmdbStore(folder);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Every third trade belongs to the same order as the previous one. */
function tradeOf(i: number): Trade {
  const [price, size] = [100 + (i % 7), 1 + (i % 11)];
  const order = Math.floor(i / 3) * 2 + Math.min(i % 3, 1);
  const ts = START_MS + order * 3_000;
  return {
    coin: 'BTC',
    venue: 'hyperliquid',
    side: 'buy',
    price,
    size,
    notionalUsd: notionalUsdOf(price, size),
    ts,
    tid: i,
    sameOrder: i % 3 === 2,
  };
}

it('makes of the tape, sealed or not, what was made of its trades when they came', async () => {
  const trades = Array.from({ length: 1_500 }, (_, i) => tradeOf(i));
  const live = new OrderSizes();
  const untilMs = tradeOf(1_200).ts;
  const buffer = new TickBuffer();
  for (const [i, trade] of trades.entries()) {
    buffer.add(trade);
    const next = trades[i + 1];
    const wasOne = trade.sameOrder ? (trades[i - 1]?.notionalUsd ?? 0) : 0;
    if (!next?.sameOrder && trade.ts < untilMs) live.add(wasOne + trade.notionalUsd, trade.ts);
  }
  const table = new TickTable(store);
  await table.commit(table.sealing('BTC', buffer, 600, []));
  await table.commit(table.appending('BTC', buffer, 600, 1_100, 1));
  await table.commit(table.appending('BTC', buffer, 1_100, 1_500, 2));
  const [reported] = await recallSizes({ folder, sinceMs: START_MS, untilMs }, withReader);
  const [coin, sizes] = reported ?? [];
  const { lastTs, orders, sum, squares, spanMs } = live.remembered;
  expect(coin).toBe('BTC');
  expect(sizes?.lastTs).toBe(lastTs);
  expect(sizes?.orders).toBeCloseTo(orders, 6);
  expect(sizes?.spanMs).toBeCloseTo(spanMs, 3);
  expect((sizes?.sum ?? 0) / sum).toBeCloseTo(1, 6);
  expect((sizes?.squares ?? 0) / squares).toBeCloseTo(1, 6);
});

it('knows nothing of an empty tape', async () => {
  expect(await recallSizes({ folder, sinceMs: START_MS, untilMs: START_MS + HOUR_MS }, withReader)).toEqual(
    [],
  );
});
