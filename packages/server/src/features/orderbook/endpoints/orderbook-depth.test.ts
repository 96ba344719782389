import { MINUTE_MS } from '@crosstape/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';
import type { Log } from '../../../platform/log.ts';
import { MemoryStore } from '../../../store/testing/memory-store.ts';
import { MarketTable } from '../../market-tape/market-table.ts';
import { DepthTable } from '../depth/depth-table.ts';
import { joinBooks } from '../depth/join-books.ts';
import { depthTopic } from '../depth/record-depth.ts';

const silent = (): void => undefined;
const log: Log = { debug: silent, info: silent, warn: silent, error: silent };
const FIRST_MS = Math.floor(START_MS / MINUTE_MS) * MINUTE_MS - 20 * MINUTE_MS;
const table = new DepthTable(new MemoryStore(), log);
let api: TestApi;

/** A book around 1,234.5 with one coin per bid and two per ask, in levels of 1 and 10. */
function bookAt(t: number) {
  const book = { coin: 'BTC', symbol: 'BTC', venueTs: t, levelsMax: 3 };
  return joinBooks(t, [
    {
      ...book,
      figures: 4,
      bids: [1234, 1233, 1232].map((price) => [price, 1] as const),
      asks: [1235, 1236, 1237].map((price) => [price, 2] as const),
    },
    {
      ...book,
      figures: 3,
      bids: [1230, 1220, 1210].map((price) => [price, price === 1230 ? 5 : 10] as const),
      asks: [1240, 1250, 1260].map((price) => [price, price === 1240 ? 12 : 20] as const),
    },
  ])!;
}

beforeAll(async () => {
  const minutes = [0, 1, 2, 4].map((minute) => FIRST_MS + minute * MINUTE_MS);
  await table.append(minutes.map((t) => ({ market: 'hyperliquid:BTC', ...bookAt(t) })));
  api = await startTestApi({ bookDepths: table, hasTape: true });
  publishSampleMarket(api);
});
afterAll(() => api.close());

type Point = Readonly<Record<string, unknown>> & { readonly ts: number };

async function ask(path: string) {
  const { status, body } = await api.get(path);
  const data = body.data as { readonly points: readonly Point[] } & Readonly<Record<string, unknown>>;
  return {
    status,
    data,
    meta: body.meta,
    minutes: data?.points?.map(({ ts }) => (ts - FIRST_MS) / MINUTE_MS),
  };
}

it('returns the recorded books with the width of each level', async () => {
  const { data, meta, minutes } = await ask('/orderbook/history?coin=btc&limit=1');
  expect(minutes).toEqual([4]);
  expect(data.points[0]).toEqual({
    ts: FIRST_MS + 4 * MINUTE_MS,
    mid: 1234.5,
    step: 1,
    bids: [
      [1234, 1, 1],
      [1233, 1, 1],
      [1232, 1, 1],
      [1230, 2, 2],
      [1220, 10, 10],
      [1210, 10, 10],
    ],
    asks: [
      [1235, 2, 1],
      [1236, 2, 1],
      [1237, 2, 1],
      [1240, 6, 3],
      [1250, 20, 10],
      [1260, 20, 10],
    ],
  });
  expect(data).toMatchObject({
    market: 'hyperliquid:BTC',
    venue: 'hyperliquid',
    cadenceMs: MINUTE_MS,
    retention: '30d',
    enabled: true,
    recordingSince: FIRST_MS,
    fetchedAt: FIRST_MS + 4 * MINUTE_MS,
  });
  expect(meta).toMatchObject({ nextEnd: FIRST_MS + 4 * MINUTE_MS, source: 'hyperliquid' });
});

it('returns the depth within four distances, and null beyond the recorded levels', async () => {
  const { data } = await ask('/orderbook/depth?coin=BTC&limit=1');
  const within = data.points[0]!['within'] as readonly { readonly bidsUsd: number | null }[];
  expect(within).toHaveLength(4);
  // To 1,231.41: three levels of one coin, and three tenths of the two coins in the 2 dollars above 1,230.
  expect(within[0]).toMatchObject({
    percent: 0.25,
    bidsUsd: Math.round(3699 + 1230 * 2 * ((1232 - 1231.41375) / 2)),
  });
  expect(within[3]).toEqual({ percent: 2, bidsUsd: null, asksUsd: 63_015, imbalance: null });
});

it('pages back from the newest, of every interval', async () => {
  const newest = await ask('/orderbook/depth?coin=BTC&limit=3');
  expect(newest.minutes).toEqual([1, 2, 4]);
  const older = await ask(
    `/orderbook/depth?market=hyperliquid:BTC&limit=3&end=${String(newest.meta['nextEnd'])}`,
  );
  expect(older.minutes).toEqual([0]);
  expect(older.meta['nextEnd']).toBeNull();
  expect((await ask(`/orderbook/history?coin=BTC&start=${FIRST_MS + 2 * MINUTE_MS}`)).minutes).toEqual([
    2, 4,
  ]);
  const tens = await ask('/orderbook/history?coin=BTC&interval=10m');
  expect(tens.data['cadenceMs']).toBe(10 * MINUTE_MS);
  expect(tens.minutes!.length).toBeLessThan(4);
  const hours = await ask('/orderbook/history?coin=BTC&interval=1h');
  expect(hours.data['cadenceMs']).toBe(60 * MINUTE_MS);
  expect(hours.minutes!.length).toBeLessThan(3);
});

it.each([
  ['coin=NOPE', 404],
  ['market=perp:BTC', 400],
  ['coin=BTC&market=hyperliquid:BTC', 400],
  ['', 400],
  ['coin=BTC&interval=5m', 400],
  ['coin=BTC&limit=1501', 400],
])('answers %s with %i', async (query, status) => {
  expect((await api.get(`/orderbook/depth?${query}`)).status).toBe(status);
});

it('refuses a market of another venue, whose book is not recorded', async () => {
  const id = 'okx:BTC-USDT-SWAP';
  const market = { id, venue: 'okx', kind: 'perp', symbol: 'BTC-USDT-SWAP', coin: 'BTC' } as const;
  const unit = { quote: 'USDT', scale: 1, contractSize: 0.01, publisher: 'okx', isCounted: true };
  await new MarketTable(api.tape.store).put([{ ...market, ...unit }], START_MS);
  const { status, body } = await api.get(`/orderbook/depth?market=${id}`);
  expect([status, body.error]).toEqual([
    404,
    'The order book of okx:BTC-USDT-SWAP is not recorded: only those of the primary venue are.',
  ]);
});

it('has no points of a coin that is not recorded, and says where the record cannot be read', async () => {
  const { data, meta } = await ask('/orderbook/depth?coin=ETH');
  expect(data).toMatchObject({ points: [], enabled: true });
  expect(data).not.toHaveProperty('recordingSince');
  expect(meta['nextEnd']).toBeNull();
  const failing = await startTestApi({
    bookDepths: { read: () => Promise.reject(new Error('the disk is gone')), sinceMs: async () => undefined },
  });
  publishSampleMarket(failing);
  const { body } = await failing.get('/orderbook/history?coin=BTC');
  expect(body.data).toMatchObject({ points: [], enabled: false });
  await failing.close();
});

it('answers again when another snapshot was written', async () => {
  await ask('/orderbook/depth?coin=BTC&limit=1');
  const t = FIRST_MS + 5 * MINUTE_MS;
  await table.append([{ market: 'hyperliquid:BTC', ...bookAt(t) }]);
  api.bus.publish(depthTopic, { t });
  expect((await ask('/orderbook/depth?coin=BTC&limit=1')).minutes).toEqual([5]);
});
