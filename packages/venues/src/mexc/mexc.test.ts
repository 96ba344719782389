import { HOUR_MS } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fundingPeriod, fundingPeriods } from './funding-periods.ts';
import { tickers } from './tickers.ts';

const instruments = [{ coin: 'BTC', symbol: 'BTC_USDT', contractSize: 0.0001 }];

function fundingAt(timestamp: number, periodHours: number, paysAtMs: number): unknown {
  const ticker = { symbol: 'BTC_USDT', holdVol: 1, indexPrice: 1, fairPrice: 1, fundingRate: 0, timestamp };
  const periods = [{ coin: 'BTC', symbol: 'BTC_USDT', periodHours, paysAtMs }];
  const known = { instruments, fundingPeriods: periods };
  return tickers.parse({ success: true, code: 0, data: [ticker] }, 0, known).funding?.[0]?.nextFundingMs;
}

it('pays next after the time of the rate, whole periods away from the announced payment', () => {
  const time = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 });
  fc.assert(
    fc.property(time, fc.constantFrom(1, 2, 4, 8, 24), fc.nat(100), (paysAtMs, periodHours, later) => {
      const periodMs = periodHours * HOUR_MS;
      // From just before the announced payment to a hundred periods after it.
      const nowMs = paysAtMs - 1 + later * Math.round(periodMs / 3);
      const nextMs = fundingAt(nowMs, periodHours, paysAtMs) as number;
      expect(nextMs).toBeGreaterThan(nowMs);
      expect(nextMs - nowMs).toBeLessThanOrEqual(periodMs);
      expect((nextMs - paysAtMs) % periodMs).toBe(0);
    }),
  );
});

it('keeps to the announced payment until it has been made', () => {
  const paysAtMs = Date.UTC(2026, 10, 16, 16);
  expect(fundingAt(paysAtMs - 1, 8, paysAtMs)).toBe(paysAtMs);
  // Longer than a period where a contract is new or changes its rhythm.
  expect(fundingAt(paysAtMs - 20 * HOUR_MS, 8, paysAtMs)).toBe(paysAtMs);
  expect(fundingAt(paysAtMs, 8, paysAtMs)).toBe(paysAtMs + 8 * HOUR_MS);
});

it('asks for the periods of all contracts at once, and of one where that one is missing', () => {
  expect(fundingPeriods.request.path).toBe('/api/v1/contract/funding_rate');
  expect(fundingPeriod.fallbackFor).toBe(fundingPeriods.name);
  expect(fundingPeriod.keys({ instruments }, [])).toEqual(['BTC_USDT']);
  expect(fundingPeriod.request('BTC_USDT').path).toBe('/api/v1/contract/funding_rate/BTC_USDT');
});
