import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { recordSampleTape } from '../../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';
import { GapLedger } from '../../tape/gap-ledger.ts';
import { TickBuffer } from '../../tape/tick-buffer.ts';
import { TickTable } from '../../tape/tick-table.ts';
import { MarketTable } from '../market-table.ts';

const HOUR_MS = 3_600_000;
const symbol = 'BTC-USDT-SWAP';
const id = `okx:${symbol}`;
const from = START_MS - HOUR_MS;
const gap = { coin: symbol, from: from + 100_000, to: from + 101_000, state: 'partial' } as const;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
  await recordSampleTape(api);
  const { store } = api.tape;
  const market = { id, venue: 'okx', kind: 'perp', symbol, coin: 'BTC', quote: 'USDT', scale: 1 } as const;
  const recorded = { ...market, contractSize: 0.01, tick: 0.1, publisher: 'okx', isCounted: true };
  await new MarketTable(store).put([recorded], from);
  const ticks = new TickTable(store, 'okx');
  const buffer = new TickBuffer();
  const one = { coin: symbol, venue: 'okx', side: 'buy', notionalUsd: 0, sameOrder: false } as const;
  for (let i = 0; i < 10; i += 1)
    buffer.add({ ...one, ts: from + i * 20_000, price: 96_500.5, size: 3, tid: 70 + i });
  const ledger = new GapLedger(store, 'okx');
  const counted = { ...gap, reason: 'no socket', method: 'count', missing: 4 } as const;
  await store.commit([
    ...ticks.sealing(symbol, buffer, 6, []),
    ...ticks.appending(symbol, buffer, 6, 10, 1),
    ledger.entering([counted]),
    ledger.extending({ from, to: START_MS, recordCoins: symbol }),
  ]);
});
afterAll(() => api.close());

describe('history of a market', () => {
  it('keeps the numbers of the venue in packed chunks, and says its unit', async () => {
    const { status, body } = await api.get(`/perps/trades/history?market=OKEX:btc-usdt-swap`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      coin: 'BTC',
      market: id,
      unit: { contractSize: 0.01, scale: 1, quote: 'USDT' },
      chunks: [{ trades: 6 }, { trades: 4 }],
    });
    expect(body.meta).toMatchObject({ source: 'okx', recordingSince: from });
    expect(body.meta.gaps).toContainEqual(expect.objectContaining({ method: 'count', missing: 4 }));
  });

  it('counts coins in JSON', async () => {
    const { body } = await api.get(`/perps/trades/history?market=${id}&format=json`);
    expect(body.data).toHaveLength(10);
    expect((body.data as unknown[])[0]).toEqual({
      ts: from,
      price: 96_500.5,
      size: 0.03,
      side: 'buy',
      tid: 70,
    });
  });

  it('of the primary venue is that of its coin', async () => {
    const own = await api.get('/perps/trades/history?coin=BTC');
    const named = await api.get('/perps/trades/history?market=hl:btc');
    expect(named.body).toEqual(own.body);
  });

  it.each([
    ['', 400, 'Parameter `coin` is missing; it must be a ticker of 1 to 32 characters.'],
    [`coin=BTC&market=${id}`, 400, /exclude each other/],
    ['market=perp:BTC', 400, /has no tape of its own/],
    ['market=nowhere:BTC', 400, /not a venue/],
    ['market=okx:DOGE-USDT-SWAP', 404, /is not recorded/],
  ])('%s is refused', async (search, status, error) => {
    const answer = await api.get(`/perps/trades/history?${search}`);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(error);
  });
});

it('says how many trades there were and how many are recorded', async () => {
  const { body } = await api.get(`/coverage?market=${id}&from=${from - 1_000}&to=${from + 200_000}`);
  expect(body.data).toEqual([
    expect.objectContaining({ to: from, state: 'missing', method: 'count', recordedTrades: 0 }),
    { from, to: gap.from, state: 'complete', method: 'count', recordedTrades: 5, expectedTrades: 5 },
    {
      from: gap.from,
      to: gap.to,
      state: 'partial',
      reason: 'no socket',
      method: 'count',
      recordedTrades: 1,
      expectedTrades: 5,
    },
    expect.objectContaining({ state: 'complete', recordedTrades: 4, expectedTrades: 4 }),
  ]);
  // The number of trades before the record began is not known.
  expect((body.data as readonly object[])[0]).not.toHaveProperty('expectedTrades');
});

it('lists every recorded market', async () => {
  const { status, body } = await api.get('/markets/recorded?coin=btc');
  expect(status).toBe(200);
  expect(body.data).toMatchObject([
    { market: 'hyperliquid:BTC', venue: 'hyperliquid', counted: false },
    {
      market: id,
      kind: 'perp',
      unit: { contractSize: 0.01, scale: 1 },
      tick: 0.1,
      recordingSince: from,
      firstTs: from,
      lastTs: from + 180_000,
      trades24h: 10,
      completeness24h: (HOUR_MS - 1_000) / (24 * HOUR_MS),
      counted: true,
    },
  ]);
  expect((await api.get('/markets/recorded?kind=spot')).body.data).toEqual([]);
});
