import { expect, it } from 'vitest';
import { bestPairs } from './pairs.ts';

function funding(venue: string, rate: number, periodHours: number, nextFundingTs?: number) {
  const native = { rate, periodHours };
  const row = { coin: 'BTC', venue, rate, periodHours, fetchedAt: 0, native, symbol: 'BTC' };
  return { ...row, ...(nextFundingTs !== undefined && { nextFundingTs }) };
}

const interest = (venue: string, oiUsd: number) => ({
  coin: 'BTC',
  venue,
  oiUsd,
  oiContracts: 1,
  fetchedAt: 0,
  symbol: 'BTC',
  quote: 'USD',
});

it('finds the pair that earns most after fees, per year whatever the period of the rates', () => {
  // 0.01 % in 8 hours is 10.95 % a year; 0.002 % in an hour is 17.52 %.
  const rows = [funding('a', 0.0001, 8, 500), funding('b', 0.00002, 1, 300), funding('c', 0.0001, 8, 100)];
  const [pair] = bestPairs(rows, [interest('a', 7), interest('b', 9)], {
    fees: { a: 1, b: 2, c: 40 },
    days: 73,
  });
  expect(pair).toMatchObject({ coin: 'BTC', shortVenue: 'b', longVenue: 'a', nextTs: 300, oiUsd: 7 });
  expect(pair?.spreadPct).toBeCloseTo(6.57, 9);
  expect(pair?.costPct).toBeCloseTo(0.06, 9);
  expect(pair?.netPct).toBeCloseTo(6.57 / 5 - 0.06, 9);
  expect(pair?.netYearlyPct).toBeCloseTo(6.57 - 0.3, 9);
  expect(pair?.breakEvenDays).toBeCloseTo(0.06 / (6.57 / 365), 6);
});

it('leaves out coins of a single venue, and says when fees are never earned', () => {
  expect(bestPairs([funding('a', 0.0001, 8)], [], { fees: {}, days: 7 })).toEqual([]);
  const same = [funding('a', 0.0001, 8), funding('b', 0.0001, 8)];
  const [pair] = bestPairs(same, [], { fees: {}, days: 7 });
  expect(pair).toMatchObject({ costPct: 0.2, netPct: -0.2, breakEvenDays: undefined, oiUsd: undefined });
});
