import { DAY_MS, type ExchangeRate } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { Snapshot } from '../../topics.ts';
import { usdKrw } from './usd-krw.ts';

const NOW = 1_790_000_000_000;

function reported(venue: string, rate: number, ageMs: number): Snapshot<ExchangeRate> {
  const rows = [{ coin: 'USD', quote: 'KRW', rate, asOfMs: NOW - ageMs }];
  return { venue, rows, fetchedAtMs: NOW, everyMs: 60_000 };
}

it("is the first provider's while that is of the last 24 hours", () => {
  const next = reported('frankfurter', 2, 1000);
  expect(usdKrw([reported('dunamu', 1, DAY_MS), next], NOW)).toEqual({
    rate: 1,
    provider: 'dunamu',
    asOfMs: NOW - DAY_MS,
    fetchedAtMs: NOW,
    isStale: false,
  });
  expect(usdKrw([reported('dunamu', 1, DAY_MS + 1), next], NOW)?.provider).toBe('frankfurter');
  expect(usdKrw([next], NOW)?.provider).toBe('frankfurter');
});

it('is the newest one over a weekend, and stale only after four days', () => {
  const older = reported('frankfurter', 2, 3 * DAY_MS);
  expect(usdKrw([reported('dunamu', 1, 2 * DAY_MS), older], NOW)).toMatchObject({ rate: 1, isStale: false });
  expect(usdKrw([reported('dunamu', 1, 5 * DAY_MS), older], NOW)).toMatchObject({ rate: 2, isStale: false });
  expect(usdKrw([reported('dunamu', 1, 5 * DAY_MS)], NOW)).toMatchObject({ rate: 1, isStale: true });
});

it('is unknown where no source reports it', () => {
  expect(usdKrw([], NOW)).toBeUndefined();
  const rows = [{ coin: 'USD', quote: 'EUR', rate: 0.9, asOfMs: NOW }];
  expect(usdKrw([{ venue: 'x', rows, fetchedAtMs: NOW, everyMs: 1 }], NOW)).toBeUndefined();
});
