import { afterEach, beforeEach, expect, it } from 'vitest';
import { type UsdRates, usdRatesTopic } from '../../../topics.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
  publishSampleMarket(api);
  api.table('bybit', 'instruments', [{ symbol: 'BTCUSDT', coin: 'BTC', quote: 'USDT' }]);
  api.table('bybit', 'openInterest', [
    { coin: 'BTC', symbol: 'BTCUSDT', contracts: 5, coins: 5, value: 500_000 },
  ]);
  api.health('bybit', { gives: ['openInterest'] });
});
afterEach(() => api.close());

const rate = { rate: 0.998, asOfMs: START_MS, isStale: false, venues: ['kraken'] };
const kraken = { source: 'kraken-spot:ticker', status: 'down', ageMs: 70_000, error: 'HTTP 503.' } as const;

function publishRates(parts: Partial<UsdRates>): void {
  api.bus.publish(usdRatesTopic, { atMs: START_MS, rates: {}, failing: {}, ...parts });
}

it('converts open interest that is quoted in USDT', async () => {
  publishRates({ rates: { USDT: rate } });
  const { body } = await api.get('/perps/oi?coins=BTC&venues=bybit,hyperliquid');
  expect(body.data).toMatchObject([
    { venue: 'bybit', oiUsd: 499_000, quote: 'USDT' },
    { venue: 'hyperliquid', oiUsd: 10_050_000, quote: 'USD' },
  ]);
  expect(body.meta).not.toHaveProperty('sources');
  expect((await api.get('/points?type=OI_AGG&exchange=bybit&coin=BTC')).body.data).toMatchObject({
    rows: [{ value: 499_000 }],
  });
});

it('follows the rate as it moves', async () => {
  publishRates({ rates: { USDT: rate } });
  await api.get('/perps/oi?coins=BTC&venues=bybit');
  publishRates({ rates: { USDT: { ...rate, rate: 0.9 } } });
  expect((await api.get('/perps/oi?coins=BTC&venues=bybit')).body.data).toMatchObject([{ oiUsd: 450_000 }]);
});

it.each([
  ['nothing was published', false],
  ['no venue has it', true],
])('marks what it cannot convert, and says why: %s', async (_, isPublished) => {
  if (isPublished) publishRates({});
  const { body } = await api.get('/perps/oi?coins=BTC&venues=bybit,hyperliquid');
  expect(body.data).toMatchObject([{ oiUsd: 500_000, unconverted: true }, { oiUsd: 10_050_000 }]);
  expect((body.data as object[])[1]).not.toHaveProperty('unconverted');
  expect(body.meta).toMatchObject({
    partial: false,
    sources: [{ source: 'USDT/USD', status: 'down', coins: ['BTC'] }],
  });
});

it('names a failing source of the rate, in answers that use it and no others', async () => {
  publishRates({
    rates: { USDT: rate },
    failing: { USDT: [kraken], USDC: [{ ...kraken, source: 'other' }] },
  });
  api.clock.advance(5_000);
  const { meta, data } = (await api.get('/perps/oi?coins=BTC&venues=bybit')).body;
  expect(data).toMatchObject([{ oiUsd: 499_000 }]);
  expect(meta).toMatchObject({ partial: false, sources: [{ ...kraken, ageMs: 75_000 }] });
  expect(meta).not.toHaveProperty('stale');
  expect((await api.get('/perps/oi?coins=BTC')).body.meta).not.toHaveProperty('sources');
});
