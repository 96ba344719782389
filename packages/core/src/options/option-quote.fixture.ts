import fc from 'fast-check';
import { DAY_MS } from '../durations.ts';
import type { OptionQuote } from '../records.ts';

export const AT_MS = Date.UTC(2026, 10, 16, 14, 30);

/** An at-the-money option with two weeks left, except for the given fields. */
export function quote(fields: Partial<OptionQuote> = {}): OptionQuote {
  return {
    coin: 'BTC',
    symbol: 'BTC-30NOV26-100000-C',
    type: 'C',
    strike: 100_000,
    expiryMs: AT_MS + 14 * DAY_MS,
    isLinear: false,
    openInterest: 1,
    volume24hCoins: 0,
    markIvPct: 50,
    markPrice: 0.01,
    forward: 100_000,
    ...fields,
  };
}

/** Any option on an asset of about 100, including expired, idle and unpriced ones. */
export const anyQuote: fc.Arbitrary<OptionQuote> = fc.record({
  coin: fc.constant('BTC'),
  symbol: fc.constant('any'),
  type: fc.constantFrom('C' as const, 'P' as const),
  strike: fc.integer({ min: 20, max: 300 }),
  expiryMs: fc.integer({ min: -2, max: 400 }).map((days) => AT_MS + days * DAY_MS),
  isLinear: fc.boolean(),
  openInterest: fc.oneof(fc.constant(0), fc.double({ min: 0.1, max: 1e5, noNaN: true })),
  volume24hCoins: fc.constant(0),
  markIvPct: fc.oneof(
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 9, arbitrary: fc.double({ min: 5, max: 300, noNaN: true }) },
  ),
  markPrice: fc.constant(0.01),
  forward: fc.double({ min: 80, max: 120, noNaN: true }),
});
