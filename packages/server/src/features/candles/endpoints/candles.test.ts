import { HOUR_MS, MINUTE_MS } from '@crosstape/core';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { recordSampleTape, sampleTrades } from '../../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';
import { GapLedger } from '../../tape/gap-ledger.ts';
import { TickBuffer } from '../../tape/tick-buffer.ts';
import { TickTable } from '../../tape/tick-table.ts';
import { backfillTopic, marketSeedingTopic, recordedMarketsTopic, usdRatesTopic } from '../../../topics.ts';
import { MarketTable } from '../../market-tape/market-table.ts';
import { candleDemandTopic } from '../../backfill/candle-demand.ts';
import { CandleTable, minuteLevel } from '../candle-table.ts';

const symbol = 'BTC-USDT-SWAP';
const firstMinute = Math.floor((START_MS - HOUR_MS) / MINUTE_MS) * MINUTE_MS;

interface Row {
  readonly ts: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly notionalUsd: number;
  readonly trades: number;
  readonly complete: boolean;
  readonly byMarket: Readonly<Record<string, readonly number[]>>;
}

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
  await recordSampleTape(api);
  const { store } = api.tape;
  const market = { id: `okx:${symbol}`, venue: 'okx', kind: 'perp', symbol, coin: 'BTC' } as const;
  const unit = { quote: 'USDT', scale: 1, contractSize: 0.01, publisher: 'okx', isCounted: true };
  await new MarketTable(store).put([{ ...market, ...unit }], firstMinute);
  const buffer = new TickBuffer();
  const one = { coin: symbol, venue: 'okx', side: 'buy', notionalUsd: 0, sameOrder: false } as const;
  for (let i = 0; i < 10; i += 1)
    buffer.add({ ...one, ts: firstMinute + i * 20_000, price: 96_500.5, size: 3, tid: i });
  const span = { from: firstMinute, to: START_MS, recordCoins: symbol };
  await store.commit([
    ...new TickTable(store, 'okx').sealing(symbol, buffer, 10, []),
    new GapLedger(store, 'okx').extending(span),
  ]);
});
afterAll(() => api.close());

it('serves minutes of the primary venue, the incomplete ones marked, and pages back', async () => {
  const { status, body } = await api.get('/candles?market=HL:btc&limit=3');
  expect(status).toBe(200);
  const last = Math.floor(START_MS / MINUTE_MS) * MINUTE_MS;
  expect(body.meta).toMatchObject({
    market: 'hyperliquid:BTC',
    interval: '1m',
    nextEnd: last - 2 * MINUTE_MS,
  });
  expect(body.data).toMatchObject([0, 1, 2].map((n) => ({ ts: last - (2 - n) * MINUTE_MS, origin: 'tape' })));
  const all = await api.get(`/candles?market=hyperliquid:BTC`);
  expect(all.body.meta.nextEnd).toBeNull();
  // The record begins within the first minute, and has a gap of 4 s right after.
  expect((all.body.data as { complete: boolean }[]).map(({ complete }) => complete)).toEqual([
    false,
    ...Array.from({ length: 60 }, () => true),
  ]);
});

it('knows where a tape begins that has no sealed chunk yet', async () => {
  await api.tape.record(
    sampleTrades(firstMinute + 30_000, 10).map((trade) => ({ ...trade, coin: 'ETH' })),
    'memory',
  );
  for (const end of [START_MS, firstMinute])
    expect((await api.get(`/candles?market=hyperliquid:ETH&end=${end}`)).body.meta.tapeFrom).toBe(
      firstMinute,
    );
});

it('sends the same candles as an Arrow stream', async () => {
  const path = `/candles?market=hyperliquid:BTC&limit=5&end=${START_MS}`;
  const { body } = await api.get(path);
  const { headers, raw } = await api.fetch(`/api/v1${path}&format=arrow`);
  expect(headers['content-type']).toBe('application/vnd.apache.arrow.stream');
  const table = tableFromIPC(raw);
  const rows = table
    .toArray()
    .map((row) =>
      Object.fromEntries(
        Object.entries(row as object).map(([name, value]) => [
          name,
          typeof value === 'bigint' ? Number(value) : value,
        ]),
      ),
    );
  expect(rows).toEqual(body.data);
  expect(JSON.parse(table.schema.metadata.get('meta') ?? '')).toMatchObject({ market: 'hyperliquid:BTC' });
});

it('counts coins, in whatever unit the venue counts', async () => {
  const { body } = await api.get(`/candles?market=okx:btc-usdt-swap&interval=1h`);
  expect(body.data).toMatchObject([{ trades: 10, volume: 0.3, buyVolume: 0.3, notionalUsd: 28_950.15 }]);
});

describe('an aggregate', () => {
  const hour = Math.floor(firstMinute / HOUR_MS) * HOUR_MS;
  const range = `start=${hour}&end=${firstMinute + 3 * MINUTE_MS + 40_000}`;

  it('adds up its markets in dollars, at the prices of the reference market', async () => {
    api.bus.publish(usdRatesTopic, {
      atMs: START_MS,
      rates: { USDT: { rate: 0.5, isStale: false, asOfMs: START_MS, venues: [] } },
      failing: {},
    });
    const { status, body } = await api.get(`/candles?market=ALL:btc&${range}`);
    expect(status).toBe(200);
    expect(body.meta).toMatchObject({ market: 'all:BTC', reference: 'hyperliquid:BTC', nextEnd: null });
    const members = body.meta.members as readonly { readonly market: string }[];
    expect(members.map(({ market }) => market)).toEqual(['hyperliquid:BTC', `okx:${symbol}`]);
    const own = (await api.get(`/candles?market=hyperliquid:BTC&${range}`)).body.data as Row[];
    const other = (await api.get(`/candles?market=okx:${symbol}&${range}`)).body.data as Row[];
    const rows = body.data as Row[];
    expect(rows.map(({ ts }) => ts)).toEqual(own.map(({ ts }) => ts));
    for (const [i, row] of rows.entries()) {
      const [a, b] = [own[i]!, other.find(({ ts }) => ts === row.ts)];
      expect([row.open, row.high, row.low, row.close]).toEqual([a.open, a.high, a.low, a.close]);
      expect(row.volume).toBeCloseTo(a.volume + (b?.volume ?? 0), 9);
      expect(row.trades).toBe(a.trades + (b?.trades ?? 0));
      expect(row.notionalUsd).toBeCloseTo(a.notionalUsd + (b?.notionalUsd ?? 0) / 2, 2);
      expect(row.complete).toBe(a.complete && (b?.complete ?? true));
    }
    expect(other.length).toBeGreaterThan(2);
    expect(rows[1]?.byMarket[`okx:${symbol}`]).toEqual([0.09, 0]);
  });

  it('is not complete while the history of a member is still being created', async () => {
    const id = 'bybit:BTCUSDT';
    const market = { id, venue: 'bybit', kind: 'perp', symbol: 'BTCUSDT', coin: 'BTC' } as const;
    const unit = { quote: 'USDT', scale: 1, contractSize: 1, publisher: 'bybit', isCounted: false };
    await new MarketTable(api.tape.store).put([{ ...market, ...unit }], START_MS);
    const completeWith = async (limit: number): Promise<readonly boolean[]> => {
      const { body } = await api.get(`/candles?market=all:BTC&${range}&limit=${limit}`);
      return (body.data as Row[]).map(({ complete }) => complete);
    };
    api.bus.publish(marketSeedingTopic, { isDone: false, markets: [id] });
    expect(new Set(await completeWith(900))).toEqual(new Set([false]));
    const cvd = await api.get(`/flows/cvd?coin=BTC&${range}`);
    const { points } = cvd.body.data as { readonly points: readonly Row[] };
    expect(new Set(points.map(({ complete }) => complete))).toEqual(new Set([false]));
    api.bus.publish(marketSeedingTopic, { isDone: true, markets: [] });
    expect(await completeWith(901)).toContain(true);
  });

  it('is not complete while a venue is away, and is without a market that its venue records no more', async () => {
    const ledger = new GapLedger(api.tape.store, 'okx');
    const completeUntil = async (limit: number): Promise<readonly boolean[]> => {
      const { body } = await api.get(`/candles?market=all:BTC&${range}&limit=${limit}`);
      return (body.data as Row[]).slice(-2).map(({ complete }) => complete);
    };
    const extend = (minutes: readonly [number, number], recordCoins: string) => {
      const [from, to] = minutes.map((minute) => firstMinute + minute * MINUTE_MS) as [number, number];
      return api.tape.store.commit([ledger.extending({ from, to, recordCoins })]);
    };
    await extend([0, 1], symbol);
    expect(await completeUntil(902)).toEqual([false, false]);
    await extend([1, 60], 'ETH-USDT-SWAP');
    expect(await completeUntil(903)).toEqual([true, true]);
    // A venue that is no longer recorded has no later spans.
    await extend([1, 2], symbol);
    expect(await completeUntil(904)).toEqual([false, false]);
    api.bus.publish(recordedMarketsTopic, []);
    expect(await completeUntil(905)).toEqual([true, true]);
  });

  it("has its venues' own candles of times before the record, and says so", async () => {
    const ts = hour - 2 * HOUR_MS;
    const table = new CandleTable(api.tape.store);
    const prices = { priceDecimals: 1, open: 960_000, high: 961_000, low: 959_000, close: 960_500 };
    const none = { trades: undefined, buyTrades: undefined, notional: undefined, liqLong: 0, liqShort: 0 };
    const own = { ts, ...prices, ...none, sizeDecimals: 2, origin: 'venue' } as const;
    const put = (id: string, volume: number, buyVolume: number | undefined) =>
      table.putting(minuteLevel, id, {
        startTs: ts,
        toTs: ts + HOUR_MS,
        candles: [{ ...own, volume, buyVolume }],
      });
    await table.commit([put('hyperliquid:BTC', 300, 100), put(`okx:${symbol}`, 50, undefined)]);
    const { body } = await api.get(`/candles?market=all:BTC&start=${ts}&end=${ts + HOUR_MS}`);
    expect(body.data).toEqual([
      {
        ts,
        open: 96_000,
        high: 96_100,
        low: 95_900,
        close: 96_050,
        volume: 3.5,
        liqLongUsd: 0,
        liqShortUsd: 0,
        complete: null,
        origin: 'venue',
        byMarket: { 'hyperliquid:BTC': [1, 2] },
      },
    ]);
    const cvd = await api.get(`/flows/cvd?coin=BTC&start=${ts}&end=${ts + HOUR_MS}`);
    expect((cvd.body.data as { readonly points: readonly unknown[] }).points).toEqual([]);
  });

  it('of perpetuals has no spot market, and of spot none is recorded', async () => {
    expect((await api.get('/candles?market=perp:BTC&limit=1')).status).toBe(200);
    const { status, body } = await api.get('/candles?market=spot:BTC');
    expect([status, body.error]).toEqual([404, 'No market of spot:BTC is recorded.']);
    expect((await api.get('/candles?market=all:NOSUCH')).status).toBe(404);
  });
});

it.each([
  ['market=hyperliquid:BTC&interval=2m', 400, 'interval'],
  ['market=hyperliquid:BTC&limit=10001', 400, 'limit'],
  ['market=hyperliquid:BTC&start=5&end=5', 400, 'start'],
  ['market=BTC', 400, 'market'],
  ['market=hyperliquid:NOSUCH', 404, 'NOSUCH'],
])('refuses %s', async (search, status, name) => {
  const answer = await api.get(`/candles?${search}`);
  expect(answer.status).toBe(status);
  expect(answer.body.error).toContain(name);
});

it('lets callers keep candles that no longer change, but none from before the record', async () => {
  const table = new CandleTable(api.tape.store);
  const settledTo = firstMinute + 40 * MINUTE_MS;
  await table.commit([table.puttingState('hyperliquid:BTC', { tapeFrom: firstMinute, settledTo })]);
  const read = (start: number, end: number, headers = {}) =>
    api.get(`/candles?market=hyperliquid:BTC&start=${start}&end=${end}`, { headers });
  const closed = await read(firstMinute + 5 * MINUTE_MS, settledTo);
  expect(closed.headers['cache-control']).toBe('public, max-age=86400');
  const etag = String(closed.headers.etag);
  expect((await read(firstMinute + 5 * MINUTE_MS, settledTo, { 'If-None-Match': etag })).status).toBe(304);
  const grows = async (start: number, end: number) =>
    expect((await read(start, end)).headers['cache-control']).toBe('public, max-age=10');
  await grows(firstMinute + 5 * MINUTE_MS, settledTo + MINUTE_MS);
  // The venue's own candles of this time may not be there yet.
  await grows(firstMinute - HOUR_MS, settledTo);
  await grows(firstMinute - 2 * HOUR_MS, firstMinute - HOUR_MS);
  // Of several markets as soon as one of them was not recorded yet.
  const allFrom = firstMinute + 20 * MINUTE_MS;
  await table.commit([
    table.puttingState(`okx:${symbol}`, { tapeFrom: allFrom, settledTo }),
    table.puttingState('bybit:BTCUSDT', { tapeFrom: firstMinute, settledTo }),
  ]);
  const cacheOfAll = async (start: number): Promise<unknown> =>
    (await api.get(`/candles?market=perp:BTC&start=${start}&end=${settledTo}`)).headers['cache-control'];
  expect(await cacheOfAll(allFrom)).toBe('public, max-age=86400');
  expect(await cacheOfAll(allFrom - MINUTE_MS)).toBe('public, max-age=10');
});

it('demands candles from before the record while they are not all there', async () => {
  const demanded: string[] = [];
  const leave = api.bus.subscribe(candleDemandTopic, ({ market }) => demanded.push(market));
  const progress = { marketsLeft: 1, requests: 0, histories: { isDone: true, seriesLeft: 0 } };
  const read = (search: string) => api.get(`/candles?market=hyperliquid:BTC&interval=3m&${search}`);
  api.bus.publish(backfillTopic, { ...progress, isDone: false });
  await read(`start=${firstMinute + 6 * MINUTE_MS}`);
  await read('limit=5');
  expect(demanded).toEqual([]);
  await read('limit=500');
  expect(demanded).toEqual(['hyperliquid:BTC']);
  await api.get('/candles?market=all:BTC&interval=3m&limit=500');
  expect(demanded.slice(1)).toEqual(expect.arrayContaining(['hyperliquid:BTC', `okx:${symbol}`]));
  demanded.splice(1);
  api.bus.publish(backfillTopic, { ...progress, isDone: true });
  await read('limit=501');
  expect(demanded).toHaveLength(1);
  leave();
});
