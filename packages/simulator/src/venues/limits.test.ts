import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { startSimulator } from '../simulator.ts';
import { coinsOfVenues } from '../../../../test/world-coins.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);

interface Limit {
  readonly venue: string;
  readonly path: string;
  /** Requests that are answered at one moment. */
  readonly allowed: number;
  /** The answer to the next one. */
  readonly refusal: { readonly status: number; readonly body?: unknown };
  /** What is counted as broken. */
  readonly broken?: string;
  /** A path with a limit of its own. */
  readonly other?: string;
  /** When the path is answered again. */
  readonly afterMs?: number;
}

const top = 'rubik/stat/contracts/long-short-position-ratio-contract-top-trader';
const topOf = (swap: string): string => `/api/v5/${top}?instId=${swap}-USDT-SWAP`;
const priceOf = (call: string): string =>
  `/api/v2/mix/market/${call}?productType=USDT-FUTURES&symbol=BTCUSDT`;

const limits: readonly Limit[] = [
  {
    venue: 'binance',
    path: '/fapi/v1/premiumIndex',
    allowed: 240,
    refusal: { status: 429, body: { code: -1003 } },
    broken: 'weight',
  },
  {
    venue: 'bybit',
    path: '/v5/market/tickers?category=linear&symbol=BTCUSDT',
    allowed: 200,
    refusal: { status: 200, body: { retCode: 10_006 } },
    broken: 'visits',
    afterMs: 1_000,
  },
  {
    venue: 'bitget',
    path: priceOf('symbol-price'),
    allowed: 20,
    refusal: { status: 429 },
    broken: 'symbol-price',
    other: priceOf('funding-time'),
  },
  {
    venue: 'gate',
    path: '/api/v4/futures/usdt/contracts/BTC_USDT',
    allowed: 200,
    refusal: { status: 429, body: { label: 'TOO_MANY_REQUESTS' } },
    broken: 'contract',
    other: '/api/v4/futures/usdt/tickers',
  },
  {
    venue: 'okx',
    path: '/api/v5/public/mark-price?instType=SWAP',
    allowed: 10,
    refusal: { status: 429, body: { code: '50011' } },
    other: '/api/v5/public/open-interest?instType=SWAP',
    afterMs: 2_000,
  },
  {
    venue: 'okx',
    path: topOf('BTC'),
    allowed: 5,
    refusal: { status: 429, body: { code: '50011' } },
    other: topOf('ETH'),
  },
  {
    venue: 'okx',
    path: topOf('BTC').replace('position-ratio-contract-top-trader', 'account-ratio-contract'),
    allowed: 5,
    refusal: { status: 429, body: { code: '50011' } },
    other: topOf('BTC'),
  },
  {
    venue: 'mexc',
    path: '/api/v1/contract/detail',
    allowed: 1,
    refusal: { status: 200, body: { code: 510 } },
    other: '/api/v1/contract/ticker',
    afterMs: 5_000,
  },
  {
    venue: 'mexc',
    path: '/api/v1/contract/funding_rate/BTC_USDT',
    allowed: 20,
    refusal: { status: 200, body: { code: 510 } },
    other: '/api/v1/contract/ticker',
  },
  {
    venue: 'dydx',
    path: '/v4/perpetualMarkets?market=BTC-USD',
    allowed: 100,
    refusal: { status: 429, body: { errors: [{ msg: 'Too many requests' }] } },
    broken: 'requests',
    afterMs: 10_000,
  },
  {
    venue: 'deribit',
    path: '/api/v2/public/get_time',
    allowed: 100,
    refusal: { status: 400, body: { error: { code: 10_028, message: 'too_many_requests' } } },
    broken: 'requests',
    afterMs: 5_001,
  },
  {
    venue: 'polymarket',
    path: '/markets',
    allowed: 300,
    refusal: { status: 429, body: 'error code: 1015' },
    broken: 'markets',
  },
  {
    venue: 'coingecko',
    path: '/api/v3/companies/public_treasury/bitcoin',
    allowed: 10,
    refusal: { status: 429, body: { status: { error_code: 429 } } },
    broken: 'requests',
  },
  {
    venue: 'coinbase',
    path: '/products',
    allowed: 15,
    refusal: { status: 429, body: { message: 'Public rate limit exceeded' } },
  },
  {
    venue: 'binance-spot',
    path: '/api/v3/ticker/24hr',
    allowed: 75,
    refusal: { status: 429, body: { code: -1003 } },
  },
  {
    venue: 'kraken-spot',
    path: '/0/public/Time',
    allowed: 15,
    refusal: { status: 200, body: { error: ['EGeneral:Too many requests'] } },
  },
  {
    venue: 'okx-spot',
    path: '/api/v5/market/tickers?instType=SPOT',
    allowed: 20,
    refusal: { status: 429, body: { code: '50011' } },
  },
  {
    venue: 'upbit',
    path: '/v1/market/all',
    allowed: 10,
    refusal: { status: 429, body: { name: 'too_many_requests' } },
  },
];

it.each(limits)(
  'answers $allowed requests for $path on $venue, and refuses the next in the words of the venue',
  async ({ venue, path, allowed, refusal, broken, other, afterMs }) => {
    const clock = new ManualClock(T0);
    const simulator = await startSimulator({
      port: 0,
      seed: 5,
      clock,
      coins: coinsOfVenues,
      sources: [venue],
    });
    const ask = async (asked: string): Promise<{ status: number; body: unknown }> => {
      const headers = { 'user-agent': 'tests/1.0 (+https://tests.example)' };
      const response = await fetch(`${simulator.url}/${venue}${asked}`, { headers });
      const text = await response.text();
      return { status: response.status, body: /^[[{]/.test(text) ? JSON.parse(text) : text };
    };
    const expectAnswered = async (asked: string): Promise<void> =>
      expect(await ask(asked)).not.toMatchObject(refusal);
    for (let i = 0; i < allowed; i += 1) await expectAnswered(path);
    expect(simulator.violations[venue]).toEqual({});
    expect(await ask(path)).toMatchObject(refusal);
    const violations = Object.entries(simulator.violations[venue] ?? {});
    expect(violations).toEqual([[broken ?? expect.any(String), 1]]);
    if (other) await expectAnswered(other);
    clock.advance(afterMs ?? 0);
    if (afterMs !== undefined) await expectAnswered(path);
    await simulator.close();
  },
);
