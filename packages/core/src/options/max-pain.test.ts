import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OptionQuote } from '../records.ts';
import { anyQuote, quote } from './option-quote.fixture.ts';
import { maxPainByExpiry } from './max-pain.ts';

const NEAR = 1_000;
const FAR = 2_000;
const option = (
  type: 'C' | 'P',
  strike: number,
  openInterest: number,
  expiryMs: number = NEAR,
): OptionQuote => quote({ type, strike, openInterest, expiryMs });

/** Total payout of an expiry that settles at a price. */
function payoutAt(options: readonly OptionQuote[], settled: number): number {
  return options.reduce((sum, { type, strike, openInterest }) => {
    const inside = type === 'C' ? settled - strike : strike - settled;
    return sum + openInterest * Math.max(0, inside);
  }, 0);
}

it('is the strike at which the options of an expiry pay least', () => {
  const options = [
    option('P', 90, 5),
    option('P', 110, 10),
    option('C', 100, 4),
    option('C', 110, 7),
    option('C', 120, 50),
    option('P', 40, 1, FAR),
    option('C', 50, 2, FAR),
  ];
  expect([90, 100, 110, 120].map((at) => payoutAt(options.slice(0, 5), at))).toEqual([200, 100, 40, 150]);
  expect([...maxPainByExpiry(options)]).toEqual([
    [NEAR, 110],
    [FAR, 40],
  ]);
});

it('is the lowest of several, also where decimals do not add up exactly', () => {
  const options = [option('C', 100, 0.1), option('C', 100, 0.2), option('P', 120, 0.3)];
  expect(maxPainByExpiry(options).get(NEAR)).toBe(100);
  const puts = [option('C', 100, 0.3), option('P', 120, 0.1), option('P', 120, 0.2)];
  expect(maxPainByExpiry(puts).get(NEAR)).toBe(100);
});

it('is unknown without open interest in calls or in puts', () => {
  expect(maxPainByExpiry([option('C', 100, 5), option('P', 90, 0)]).size).toBe(0);
  expect(maxPainByExpiry([option('P', 90, 5)]).size).toBe(0);
  expect(maxPainByExpiry([]).size).toBe(0);
});

it('pays no more than any other strike', () => {
  fc.assert(
    fc.property(fc.array(anyQuote, { maxLength: 40 }), (quotes) => {
      const options = quotes.map((one) => ({ ...one, expiryMs: NEAR }));
      const found = maxPainByExpiry(options).get(NEAR);
      const isTwoSided = (['C', 'P'] as const).every((type) =>
        options.some((one) => one.type === type && one.openInterest > 0),
      );
      expect(found !== undefined).toBe(isTwoSided);
      if (found === undefined) return;
      const least = Math.min(...options.map(({ strike }) => payoutAt(options, strike)));
      expect(payoutAt(options, found)).toBeLessThanOrEqual(least + 1e-3);
    }),
  );
});
