import type { Liquidation } from '@crosstape/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';
import { MemoryStore } from '../../../store/testing/memory-store.ts';
import { LiquidationEvents } from '../liquidation-events.ts';
import { LiquidationTable } from '../liquidation-table.ts';

const DAY_MS = 86_400_000;
const row = (agoMs: number, parts: Partial<Liquidation> = {}): Liquidation => {
  const usual = { coin: 'BTC', venue: 'bybit', symbol: 'BTCUSDT', quote: 'USDT', inferred: false } as const;
  return {
    ...usual,
    side: 'sell',
    price: 100,
    size: agoMs,
    notionalUsd: 100,
    ts: START_MS - agoMs,
    ...parts,
  };
};

let api: TestApi;
beforeAll(async () => {
  const store = new MemoryStore();
  const {
    symbol: _,
    quote: __,
    ...inferred
  } = row(40, { venue: 'hyperliquid', side: 'buy', inferred: true });
  await new LiquidationTable(store).append(
    [
      ...[10, 20, 30].map((agoMs) => row(agoMs)),
      row(20, { size: 21 }),
      row(20, { coin: 'ETH', venue: 'okx', symbol: 'ETH-USDT-SWAP' }),
      inferred,
      row(2 * DAY_MS),
      row(31 * DAY_MS),
    ],
    [],
  );
  api = await startTestApi({ liquidationEvents: new LiquidationEvents(store) });
  publishSampleMarket(api);
});
afterAll(() => api.close());

const agoOf = (data: unknown): number[] => (data as { ts: number }[]).map(({ ts }) => START_MS - ts);

it('gives single liquidations, newest first, with their market', async () => {
  const { status, body } = await api.get('/perps/liquidations/events');
  expect(status).toBe(200);
  expect(agoOf(body.data)).toEqual([10, 20, 20, 20, 30, 40]);
  const events = body.data as object[];
  expect(events[0]).toMatchObject({ market: 'bybit:BTCUSDT', position: 'long', quote: 'USDT' });
  expect(events[5]).toMatchObject({ market: 'hyperliquid:BTC', position: 'short', inferred: true });
  expect(body.meta).toMatchObject({ nextEnd: null });
});

it('pages to the end of what is kept without splitting a millisecond', async () => {
  const found: number[] = [];
  for (let end: number | null = START_MS; end !== null; ) {
    const search = `limit=2&start=0&end=${end}`;
    const { body }: Awaited<ReturnType<TestApi['get']>> = await api.get(
      `/perps/liquidations/events?${search}`,
    );
    found.push(...agoOf(body.data));
    end = body.meta.nextEnd as number | null;
  }
  expect(found).toEqual([10, 20, 20, 20, 30, 40, 2 * DAY_MS]);
});

it.each([
  ['coin=eth', [20]],
  ['venue=bybit', [10, 20, 20, 30]],
  ['venue=hl&coin=btc', [40]],
  [`start=${START_MS - 20}`, [10, 20, 20, 20]],
  ['venue=gate', []],
])('takes %s', async (search, expected) => {
  expect(agoOf((await api.get(`/perps/liquidations/events?${search}`)).body.data)).toEqual(expected);
});

it.each([
  ['coin=nope', 404],
  ['venue=ftx', 400],
  ['limit=5001', 400],
  ['start=5&end=5', 400],
])('refuses %s', async (search, status) => {
  expect((await api.get(`/perps/liquidations/events?${search}`)).status).toBe(status);
});
