import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../durations.ts';
import type { OptionQuote, OptionType } from '../records.ts';
import { callDeltaOf } from './black76.ts';
import { AT_MS, anyQuote, quote } from './option-quote.fixture.ts';
import { skewByExpiry } from './skew.ts';

/** Both types at every strike, forward 101, volatility by a rule. */
function chain(strikes: readonly number[], ivPctAt: (strike: number) => number): readonly OptionQuote[] {
  return strikes.flatMap((strike) =>
    (['C', 'P'] as const).map((type) => quote({ strike, type, forward: 101, markIvPct: ivPctAt(strike) })),
  );
}

describe('the smile of an expiry', () => {
  it('has puts below the forward, calls at or above it, and both at the nearest strike', () => {
    const [skew] = skewByExpiry(
      chain([90, 100, 110], () => 50),
      AT_MS,
    );
    const seen = skew?.smile.map(({ strike, type }) => `${strike}${type}`);
    expect(seen).toEqual(['90P', '100P', '100C', '110C']);
    expect(skew?.smile[0]).toEqual({ strike: 90, type: 'P', iv: 0.5, moneyness: 90 / 101 });
  });

  it('takes a strike at the forward as a call', () => {
    const options = chain([91, 101, 111], () => 50);
    const unequal = options.map((one) => (one.type === 'P' ? { ...one, markIvPct: 60 } : one));
    const [skew] = skewByExpiry(unequal, AT_MS);
    expect(skew?.smile.map(({ strike, type }) => `${strike}${type}`)).toEqual([
      '91P',
      '101P',
      '101C',
      '111C',
    ]);
    expect(skew?.atmIv).toBe(0.5);
  });

  it('has at most two points a strike, and every one from an option that was given', () => {
    fc.assert(
      fc.property(fc.array(anyQuote, { maxLength: 60 }), (options) => {
        const unique = [
          ...new Map(options.map((one) => [`${one.expiryMs} ${one.strike} ${one.type}`, one])).values(),
        ];
        const skews = skewByExpiry(unique, AT_MS);
        const expiries = skews.map(({ expiryMs }) => expiryMs);
        expect(expiries).toEqual([...new Set(expiries)].toSorted((a, b) => a - b));
        for (const { expiryMs, smile, atmIv } of skews) {
          expect(expiryMs).toBeGreaterThan(AT_MS);
          const doubled = smile.length - new Set(smile.map(({ strike }) => strike)).size;
          expect(doubled).toBeLessThanOrEqual(1);
          const ivs = smile.map(({ iv }) => iv);
          for (const { strike, type, iv } of smile) {
            const isGiven = (one: OptionQuote): boolean =>
              one.expiryMs === expiryMs &&
              one.strike === strike &&
              one.type === type &&
              one.markIvPct / 100 === iv;
            expect(unique.some(isGiven)).toBe(true);
          }
          if (atmIv === undefined) continue;
          expect(atmIv).toBeGreaterThanOrEqual(Math.min(...ivs) - 1e-12);
          expect(atmIv).toBeLessThanOrEqual(Math.max(...ivs) + 1e-12);
        }
      }),
    );
  });

  it('leaves out expiries that are over and options without a volatility', () => {
    const options = [
      quote({ expiryMs: AT_MS }),
      quote({ markIvPct: 0 }),
      quote({ expiryMs: AT_MS + DAY_MS }),
    ];
    const skews = skewByExpiry(options, AT_MS);
    expect(skews.map(({ expiryMs }) => expiryMs)).toEqual([AT_MS + DAY_MS]);
  });

  it('is not moved by one option with an odd forward', () => {
    const [odd, ...rest] = chain([90, 100, 110], () => 50) as [OptionQuote, ...OptionQuote[]];
    const [skew] = skewByExpiry([{ ...odd, forward: 9 }, ...rest], AT_MS);
    expect(skew?.smile.at(-1)?.moneyness).toBe(110 / 101);
  });
});

describe('at the money', () => {
  it('lies between the strikes around the forward, put below and call above', () => {
    const option = (strike: number, type: OptionType, markIvPct: number): OptionQuote =>
      quote({ strike, type, markIvPct, forward: 101 });
    const options = [option(100, 'P', 50), option(100, 'C', 90), option(104, 'P', 90), option(104, 'C', 58)];
    expect(skewByExpiry(options, AT_MS)[0]?.atmIv).toBeCloseTo(0.52, 12);
  });

  it('is nowhere when all strikes are on one side', () => {
    const [skew] = skewByExpiry(
      chain([110, 120], () => 50),
      AT_MS,
    );
    expect(skew).not.toHaveProperty('atmIv');
    expect(skew?.smile).toHaveLength(3);
  });
});

describe('the risk reversal and butterfly', () => {
  const strikes = Array.from({ length: 81 }, (_, i) => 61 + i);

  it('of a flat smile are nothing', () => {
    const [skew] = skewByExpiry(
      chain(strikes, () => 60),
      AT_MS,
    );
    expect(skew?.rr25).toBeCloseTo(0, 12);
    expect(skew?.bf25).toBeCloseTo(0, 12);
  });

  it('are those of the strikes with a delta of a quarter', () => {
    const ivPct = (strike: number): number =>
      60 - 30 * Math.log(strike / 101) + 80 * Math.log(strike / 101) ** 2;
    const [skew] = skewByExpiry(chain(strikes, ivPct), AT_MS);
    const ivAtDelta = (wanted: number): number => {
      let [low, high] = [50, 160];
      for (let i = 0; i < 60; i += 1) {
        const strike = (low + high) / 2;
        const delta = callDeltaOf({ forward: 101, strike, volatility: ivPct(strike) / 100, years: 14 / 365 });
        if (delta > wanted) low = strike;
        else high = strike;
      }
      return ivPct(low) / 100;
    };
    const [call, put] = [ivAtDelta(0.25), ivAtDelta(0.75)];
    expect(skew?.rr25).toBeCloseTo(call - put, 3);
    expect(skew?.bf25).toBeCloseTo((call + put) / 2 - 0.6, 3);
    expect(skew?.rr25).toBeLessThan(0);
  });

  it('are not made up where no strike is that far out', () => {
    const [skew] = skewByExpiry(
      chain([100, 101, 102], () => 60),
      AT_MS,
    );
    expect(skew?.atmIv).toBeCloseTo(0.6, 12);
    expect(skew).not.toHaveProperty('rr25');
    expect(skew).not.toHaveProperty('bf25');
  });
});
