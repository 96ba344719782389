import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Black76, callDeltaOf, gammaOf, greeksOf, priceOf } from './black76.ts';
import { normalBelow } from './normal.ts';

const option: fc.Arbitrary<Black76> = fc.record({
  forward: fc.double({ min: 0.1, max: 2e5, noNaN: true }),
  strike: fc.double({ min: 0.1, max: 2e5, noNaN: true }),
  volatility: fc.double({ min: 0.01, max: 5, noNaN: true }),
  years: fc.double({ min: 1 / 8760, max: 3, noNaN: true }),
});

/** An option whose strike is within a few standard deviations, where the values are not negligible. */
const near: fc.Arbitrary<Black76> = fc
  .record({
    forward: fc.double({ min: 0.1, max: 2e5, noNaN: true }),
    deviations: fc.double({ min: -4, max: 4, noNaN: true }),
    volatility: fc.double({ min: 0.05, max: 1.5, noNaN: true }),
    years: fc.double({ min: 1 / 8760, max: 1, noNaN: true }),
  })
  .map(({ forward, deviations, volatility, years }) => ({
    forward,
    strike: forward * Math.exp(deviations * volatility * Math.sqrt(years)),
    volatility,
    years,
  }));

function relative(actual: number, expected: number): number {
  return Math.abs(actual / expected - 1);
}

describe('gamma', () => {
  it.each([
    [100_000, 100_000, 0.5, 30 / 365, 2.775941975e-5],
    [100_000, 120_000, 0.6, 30 / 365, 1.443376768e-5],
    [3_500, 3_000, 0.7, 7 / 365, 3.07091169e-4],
    [150, 150, 0.8, 1 / 365, 6.350092684e-2],
  ])('of forward %d, strike %d, volatility %d, %d years', (forward, strike, volatility, years, expected) => {
    expect(relative(gammaOf({ forward, strike, volatility, years }), expected)).toBeLessThan(1e-6);
  });

  it('is how the delta changes, that of calls and of puts alike', () => {
    fc.assert(
      fc.property(near, (one) => {
        const step = one.forward * 1e-4 * one.volatility * Math.sqrt(one.years);
        const [down, up] = [one.forward - step, one.forward + step];
        const slope = (deltaAt: (forward: number) => number): number =>
          (deltaAt(up) - deltaAt(down)) / (2 * step);
        const call = slope((forward) => callDeltaOf({ ...one, forward }));
        const put = slope((forward) => -normalBelow(-d1At({ ...one, forward })));
        expect(relative(call, gammaOf(one))).toBeLessThan(1e-4);
        expect(relative(put, gammaOf(one))).toBeLessThan(1e-4);
      }),
    );
  });

  it('is symmetric between call and put: F² × gamma(F, K) = K² × gamma(K, F)', () => {
    fc.assert(
      fc.property(near, (one) => {
        const turned = { ...one, forward: one.strike, strike: one.forward };
        expect(relative(one.forward ** 2 * gammaOf(one), one.strike ** 2 * gammaOf(turned))).toBeLessThan(
          1e-9,
        );
      }),
    );
  });
});

function d1At({ forward, strike, volatility, years }: Black76): number {
  const variance = volatility ** 2 * years;
  return (Math.log(forward / strike) + variance / 2) / Math.sqrt(variance);
}

describe('a price', () => {
  it('of a call less that of the put is the forward less the strike', () => {
    fc.assert(
      fc.property(option, (one) => {
        const { forward, strike } = one;
        const difference = priceOf('C', one) - priceOf('P', one);
        expect(Math.abs(difference - (forward - strike))).toBeLessThan(1e-9 * (forward + strike));
      }),
    );
  });

  it('is at least what the option would pay now, and at most the forward or the strike', () => {
    fc.assert(
      fc.property(option, (one) => {
        const { forward, strike } = one;
        const slack = 1e-9 * (forward + strike);
        const [call, put] = [priceOf('C', one), priceOf('P', one)];
        expect(call).toBeGreaterThanOrEqual(Math.max(0, forward - strike - slack));
        expect(call).toBeLessThanOrEqual(forward + slack);
        expect(put).toBeGreaterThanOrEqual(Math.max(0, strike - forward - slack));
        expect(put).toBeLessThanOrEqual(strike + slack);
      }),
    );
  });

  it('at the money is known by heart: 0.4 × forward × volatility × √years', () => {
    const price = priceOf('C', { forward: 100, strike: 100, volatility: 0.2, years: 0.25 });
    expect(relative(price, 100 * (2 * normalBelow(0.05) - 1))).toBeLessThan(1e-12);
    expect(relative(price, 0.4 * 100 * 0.2 * 0.5)).toBeLessThan(0.01);
  });
});

describe('the greeks', () => {
  it.each(['C', 'P'] as const)('of %s are the slopes of the price', (type) => {
    const known = { forward: 100_000, strike: 105_000, volatility: 0.5, years: 0.1 };
    const slope = (field: keyof Black76, step: number): number => {
      const at = (sign: 1 | -1): number => priceOf(type, { ...known, [field]: known[field] + sign * step });
      return (at(1) - at(-1)) / (2 * step);
    };
    const { delta, gamma, vega, theta } = greeksOf(type, known);
    expect(relative(delta, slope('forward', 1))).toBeLessThan(1e-6);
    expect(gamma).toBe(gammaOf(known));
    expect(relative(vega, slope('volatility', 1e-4) / 100)).toBeLessThan(1e-6);
    expect(relative(theta, -slope('years', 1e-5) / 365)).toBeLessThan(1e-6);
  });
});

describe('the normal distribution', () => {
  /** Tables to fifteen figures, one of them far out in the tail. */
  it.each([
    [0, 0.5],
    [1, 0.841344746068543],
    [-1.959963984540054, 0.025],
    [2.575829303548901, 0.995],
    [-3.5, 2.32629079035525e-4],
    [-6, 9.86587645037698e-10],
    [-20, 2.75362411860623e-89],
  ])('below %d is %d', (x, expected) => {
    expect(relative(normalBelow(x), expected)).toBeLessThan(1e-12);
  });

  it('adds up to one, never falls, and ends at nothing', () => {
    expect([normalBelow(-1e9), normalBelow(1e9), normalBelow(-Infinity), normalBelow(Infinity)]).toEqual([
      0, 1, 0, 1,
    ]);
    fc.assert(
      fc.property(fc.double({ min: -30, max: 30, noNaN: true }), (x) => {
        expect(Math.abs(normalBelow(x) + normalBelow(-x) - 1)).toBeLessThan(1e-15);
        expect(normalBelow(x + 0.01)).toBeGreaterThanOrEqual(normalBelow(x));
      }),
    );
  });
});
