import type { Client } from '@crosstape/client';
import { expect, it } from 'vitest';
import { BATCHES_MAX, followPrints } from './prints.ts';

const page = (...prints: readonly (readonly [ts: number, price: number, size: number, isBuy: 0 | 1])[]) => ({
  ticks: {
    length: prints.length,
    priceDecimals: 1,
    sizeDecimals: 2,
    ts: Float64Array.from(prints, ([ts]) => ts),
    price: Float64Array.from(prints, ([, price]) => price),
    size: Float64Array.from(prints, ([, , size]) => size),
    isBuy: Uint8Array.from(prints, ([, , , isBuy]) => isBuy),
  },
  gaps: [],
});

function clientOf(batches: number, asked: unknown[]): Client {
  return {
    now: () => 99,
    async *ticks(coin: string, range: unknown) {
      asked.push([coin, range]);
      yield page([10, 1_000, 50, 1]);
      yield page([20, 1_001, 25, 0], [20, 1_001, 100, 1]);
    },
    async *followBatches(channel: string, coin: string, params: unknown) {
      asked.push([channel, coin, params]);
      for (let i = 0; i < batches; i += 1)
        yield [{ type: 'data', payload: { ts: 30 + i, price: 100, size: 2, side: 'sell' } }];
    },
  } as unknown as Client;
}

it('continues the record with the trades after it', async () => {
  const asked: unknown[] = [];
  const news = [];
  const spec = { coin: 'BTC', market: 'okx:BTC-USDT-SWAP', start: 10 };
  for await (const one of followPrints(clientOf(2, asked), spec, {})) news.push(one);
  expect(asked).toEqual([
    ['BTC', { start: 10, end: 100, market: 'okx:BTC-USDT-SWAP' }],
    ['trades', 'BTC', { since: { ts: 20, count: 2 }, market: 'okx:BTC-USDT-SWAP' }],
  ]);
  expect(news.map(({ isWhole }) => isWhole)).toEqual([true, false, false]);
  expect(news[0]?.items).toEqual([
    {
      ts: Float64Array.of(10, 20, 20),
      price: Float64Array.of(100, 100.1, 100.1),
      size: Float64Array.of(0.5, -0.25, 1),
    },
  ]);
  expect([...(news[2]?.items[0]?.size ?? [])]).toEqual([-2]);
});

it('sends all as one after many batches, and nothing more of a time that is over', async () => {
  const sizes: number[] = [];
  for await (const { items, isWhole } of followPrints(
    clientOf(BATCHES_MAX, []),
    { coin: 'BTC', start: 0 },
    {},
  ))
    if (isWhole) sizes.push(items.reduce((sum, { ts }) => sum + ts.length, 0));
  expect(sizes).toEqual([3, 3 + BATCHES_MAX]);
  const asked: unknown[] = [];
  for await (const { items } of followPrints(clientOf(5, asked), { coin: 'BTC', start: 0, end: 50 }, {}))
    expect(items).toHaveLength(1);
  expect(asked).toHaveLength(1);
});
