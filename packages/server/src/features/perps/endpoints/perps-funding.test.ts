import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi({ upstream: 'sim' });
});
afterEach(() => api.close());

const nextFundingMs = START_MS + 3_600_000;

describe('/perps/funding', () => {
  it('gives the hourly rate of every coin of the primary venue by default', async () => {
    publishSampleMarket(api);
    const { status, body } = await api.get('/perps/funding');
    expect(status).toBe(200);
    expect(body.data).toHaveLength(3);
    expect((body.data as object[])[0]).toEqual({
      coin: 'BTC',
      venue: 'hyperliquid',
      rate: 0.0000125,
      periodHours: 1,
      fetchedAt: START_MS,
      native: { rate: 0.0000125, periodHours: 1 },
      nextFundingTs: START_MS + 600_000,
      symbol: 'BTC',
    });
    expect(body.meta).toEqual({ fetchedAt: START_MS, source: 'sim:hyperliquid' });
  });

  it.each([
    { venue: 'binance', native: 4, rate: 0.0001, reported: 0.0002, periodHours: 8 },
    { venue: 'bybit', native: 8, rate: 0.0001, reported: 0.0001, periodHours: 8 },
    { venue: 'okx', native: 2, rate: 0.00003, reported: 0.00012, periodHours: 8 },
    { venue: 'bitget', native: 1, rate: 0.0000125, reported: 0.0001, periodHours: 8 },
    { venue: 'gate', native: 8, rate: -0.0003, reported: -0.0003, periodHours: 8 },
    { venue: 'mexc', native: 4, rate: 0.00015, reported: 0.0003, periodHours: 8 },
    { venue: 'dydx', native: 1, rate: 0.00001, reported: 0.00001, periodHours: 1 },
    { venue: 'kraken', native: 4, rate: 0.00008, reported: 0.00002, periodHours: 1 },
  ])(
    'scales a rate per $native h of $venue to $periodHours h',
    async ({ venue, native, rate, reported, periodHours }) => {
      api.table(venue, 'funding', [
        { coin: 'BTC', symbol: 'BTC-X', rate, periodHours: native, nextFundingMs },
      ]);
      const { body } = await api.get(`/perps/funding?venues=${venue}`);
      expect(body.data).toMatchObject([
        { rate: reported, periodHours, native: { rate, periodHours: native }, nextFundingTs: nextFundingMs },
      ]);
    },
  );

  it('returns the funding of the contract with the most open interest', async () => {
    const row = { coin: 'BTC', rate: 0.0001, periodHours: 8, nextFundingMs };
    api.table('bybit', 'funding', [
      { ...row, symbol: 'BTCPERP' },
      { ...row, symbol: 'BTCUSDT', rate: 0.0002 },
    ]);
    const ask = async (): Promise<unknown> => (await api.get('/perps/funding?venues=bybit')).body.data;
    // Which one is unknown yet.
    expect(await ask()).toEqual([]);
    api.table('bybit', 'openInterest', [
      { coin: 'BTC', symbol: 'BTCPERP', contracts: 1, coins: 1, value: 100_000 },
      { coin: 'BTC', symbol: 'BTCUSDT', contracts: 9, coins: 9, value: 900_000 },
    ]);
    expect(await ask()).toMatchObject([{ symbol: 'BTCUSDT', rate: 0.0002 }]);
  });
});
