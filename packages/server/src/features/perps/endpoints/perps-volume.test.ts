import { afterEach, beforeEach, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';
import { snapshotTopic, usdRatesTopic } from '../../../topics.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
  publishSampleMarket(api);
  const instruments = ['BTCUSDT', 'BTCPERP', 'ETHUSDT'].map((symbol) => ({
    symbol,
    coin: symbol.slice(0, 3),
    quote: symbol.endsWith('PERP') ? 'USDC' : 'USDT',
  }));
  api.table('bybit', 'instruments', instruments);
  api.health('bybit', { gives: ['volumes'] });
});
afterEach(() => api.close());

function publishRates(byCurrency: Readonly<Record<string, number>>): void {
  const rates = Object.fromEntries(
    Object.entries(byCurrency).map(([currency, rate]) => [
      currency,
      { rate, asOfMs: START_MS, isStale: false, venues: ['kraken'] },
    ]),
  );
  api.bus.publish(usdRatesTopic, { atMs: START_MS, rates, failing: {} });
}

it('sums the contracts of a coin in dollars, each from its own currency, and says how each is known', async () => {
  publishRates({ USDT: 0.5, USDC: 2 });
  api.table('bybit', 'volumes', [
    { coin: 'BTC', symbol: 'BTCUSDT', value: 1_000, coins: 0.25 },
    { coin: 'BTC', symbol: 'BTCPERP', value: 10, coins: 0.5 },
    { coin: 'ETH', symbol: 'ETHUSDT', value: 100, coins: 2, isEstimate: true },
  ]);
  const { body } = await api.get('/perps/volume?coins=BTC,ETH&venues=bybit,hyperliquid');
  expect(body.data).toEqual([
    {
      coin: 'BTC',
      venue: 'bybit',
      volume24hUsd: 520,
      volume24h: 0.75,
      method: 'reported',
      fetchedAt: START_MS,
    },
    {
      coin: 'ETH',
      venue: 'bybit',
      volume24hUsd: 50,
      volume24h: 2,
      method: 'lastPrice',
      fetchedAt: START_MS,
    },
    {
      coin: 'BTC',
      venue: 'hyperliquid',
      volume24hUsd: 500_000,
      volume24h: 5,
      method: 'reported',
      fetchedAt: START_MS,
    },
    {
      coin: 'ETH',
      venue: 'hyperliquid',
      volume24hUsd: 34_200,
      volume24h: 9,
      method: 'reported',
      fetchedAt: START_MS,
    },
  ]);
  expect(body.meta).not.toHaveProperty('sources');
});

it('gives null coins where one of the contracts reports the amount only, and marks what has no rate', async () => {
  publishRates({ USDT: 1 });
  api.table('bybit', 'volumes', [
    { coin: 'BTC', symbol: 'BTCUSDT', value: 1_000, coins: 0.25 },
    { coin: 'BTC', symbol: 'BTCPERP', value: 10 },
  ]);
  const { body } = await api.get('/perps/volume?coins=BTC&venues=bybit');
  expect(body.data).toMatchObject([{ volume24hUsd: 1_010, volume24h: null, unconverted: true }]);
  expect(body.meta).toMatchObject({ sources: [{ source: 'USDC/USD', coins: ['BTC'] }] });
});

it('leaves out a coin that lacks the volume of a contract, and names it', async () => {
  publishRates({ USDT: 1, USDC: 1 });
  const rows = [
    { coin: 'BTC', symbol: 'BTCUSDT', value: 1_000, coins: 0.25 },
    { coin: 'ETH', symbol: 'ETHUSDT', value: 100, coins: 2 },
  ];
  const missing = [{ coin: 'BTC', symbol: 'BTCPERP' }];
  api.bus.publish(snapshotTopic('bybit', 'volumes'), {
    venue: 'bybit',
    rows,
    missing,
    fetchedAtMs: START_MS,
    everyMs: 10_000,
  });
  const { body } = await api.get('/perps/volume?coins=BTC,ETH&venues=bybit');
  expect(body.data).toMatchObject([{ coin: 'ETH', volume24hUsd: 100 }]);
  expect(body.meta).toMatchObject({
    partial: true,
    sources: [{ source: 'bybit', coins: ['BTC'], error: expect.stringContaining('volumes of 24 hours') }],
  });
});

it('names the venues that do not list a coin, and refuses an unknown coin', async () => {
  api.table('bybit', 'volumes', [{ coin: 'ETH', symbol: 'ETHUSDT', value: 100, coins: 2 }]);
  const { body } = await api.get('/perps/volume?coins=kPEPE,ETH&venues=bybit,hyperliquid');
  expect(body.meta).toMatchObject({ notListed: [{ venue: 'bybit', coins: ['kPEPE'] }] });
  expect((await api.get('/perps/volume?coins=NOPE')).status).toBe(404);
});

it('is as old as the oldest contract of a coin, and estimated if one of them is', async () => {
  publishRates({ USDT: 1, USDC: 1 });
  const rows = [
    { coin: 'BTC', symbol: 'BTCUSDT', value: 1_000, coins: 0.1, isEstimate: true as const },
    { coin: 'BTC', symbol: 'BTCPERP', value: 10, coins: 0.2 },
  ];
  const rowsAtMs = [START_MS, START_MS - 5_000];
  api.bus.publish(snapshotTopic('bybit', 'volumes'), {
    venue: 'bybit',
    rows,
    rowsAtMs,
    fetchedAtMs: START_MS,
    everyMs: 10_000,
  });
  const row = {
    coin: 'BTC',
    venue: 'bybit',
    volume24hUsd: 1_010,
    volume24h: 0.3,
    method: 'lastPrice',
    fetchedAt: START_MS - 5_000,
  };
  expect((await api.get('/perps/volume?coins=BTC&venues=bybit')).body.data).toEqual([row]);
  api.health('bybit', { gives: ['volumes'], status: 'down', error: 'No answer.' });
  api.clock.advance(60_000);
  expect((await api.get('/perps/volume?coins=BTC&venues=bybit')).body.data).toEqual([
    { ...row, stale: true },
  ]);
});
