import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OptionQuote } from '../records.ts';
import { gammaOf } from './black76.ts';
import { dealerGex } from './dealer-gex.ts';
import { yearsToExpiry } from './expiry.ts';
import { nearestCrossing } from './gamma-flip.ts';
import { GammaProfile } from './gamma-profile.ts';
import { anyQuote, AT_MS, quote } from './option-quote.fixture.ts';

const SPOT = 100;
const at = { spot: SPOT, atMs: AT_MS };
const chains = fc.array(anyQuote, { maxLength: 40 });

/** The definition, computed directly with spot moved. */
function plainTotal(options: readonly OptionQuote[], spot: number, movedTo: number): number {
  let sum = 0;
  for (const { type, strike, expiryMs, openInterest, markIvPct, forward } of options) {
    const years = yearsToExpiry(expiryMs, AT_MS);
    if (years === undefined || openInterest === 0 || markIvPct === 0) continue;
    const moved = { forward: (forward * movedTo) / spot, strike, volatility: markIvPct / 100, years };
    sum += (type === 'C' ? 1 : -1) * gammaOf(moved) * openInterest * movedTo ** 2 * 0.01;
  }
  return sum;
}

function toy(strike: number, type: 'C' | 'P', openInterest: number, volatility: number): OptionQuote {
  return quote({ strike, type, openInterest, markIvPct: volatility * 100 });
}

/** Spot and forward 100,000, fourteen days: a chain with known figures. */
const toyChain: readonly OptionQuote[] = [
  toy(80_000, 'P', 900, 0.62),
  toy(85_000, 'P', 1500, 0.58),
  toy(90_000, 'P', 2200, 0.55),
  toy(95_000, 'P', 1200, 0.52),
  toy(95_000, 'C', 500, 0.52),
  toy(100_000, 'P', 700, 0.5),
  toy(100_000, 'C', 900, 0.5),
  toy(105_000, 'C', 1600, 0.5),
  toy(110_000, 'C', 2600, 0.51),
  toy(120_000, 'C', 1800, 0.55),
];

describe('the exposure of dealers', () => {
  it('of a book whose figures are known', () => {
    const { total, flip, callWall, putWall } = dealerGex(toyChain, { spot: 100_000, atMs: AT_MS });
    expect(total / 1e6).toBeCloseTo(5.981, 3);
    expect(flip).toBeCloseTo(97_166, -1);
    expect([callWall?.strike, putWall?.strike]).toEqual([110_000, 90_000]);
    expect(putWall?.gex).toBeLessThan(0);
  });

  it('is the sum of its strikes, and each strike the sum of its sides', () => {
    fc.assert(
      fc.property(chains, (options) => {
        const { total, strikes } = dealerGex(options, at);
        const gross = strikes.reduce((sum, { callGex, putGex }) => sum + callGex - putGex, 1);
        const net = strikes.reduce((sum, { gex }) => sum + gex, 0);
        expect(Math.abs(net - total)).toBeLessThan(1e-9 * gross);
        expect(Math.abs(plainTotal(options, SPOT, SPOT) - total)).toBeLessThan(1e-9 * gross);
        for (const { gex, callGex, putGex } of strikes) {
          expect(Math.abs(callGex + putGex - gex)).toBeLessThan(1e-9 * gross);
          expect(callGex).toBeGreaterThanOrEqual(0);
          expect(putGex).toBeLessThanOrEqual(0);
        }
      }),
    );
  });

  it('at another spot equals everything repriced there', () => {
    fc.assert(
      fc.property(chains, fc.double({ min: 0.5, max: 1.5, noNaN: true }), (options, times) => {
        const calls = options.map((one) => ({ ...one, type: 'C' as const }));
        const expected = plainTotal(calls, SPOT, SPOT * times);
        const total = new GammaProfile(calls, at).total(times);
        // Near zero, floats are too coarse for a relative error.
        expect(Math.abs(total - expected)).toBeLessThanOrEqual(1e-9 * expected + 1e-300);
      }),
    );
  });

  it('over other spot prices equals everything repriced there', () => {
    const { profile, total } = dealerGex(toyChain, { spot: 100_000, atMs: AT_MS });
    expect([profile[0]?.spot, profile.at(-1)?.spot, profile.length]).toEqual([70_000, 130_000, 61]);
    expect(profile[30]).toEqual({ spot: 100_000, gex: total });
    for (const { spot, gex } of profile) expect(gex).toBeCloseTo(plainTotal(toyChain, 100_000, spot), 2);
  });

  it('counts the open interest of exactly what is priced', () => {
    fc.assert(
      fc.property(chains, (options) => {
        const { strikes } = dealerGex(options, at);
        const priced = options.filter(({ expiryMs, markIvPct }) => expiryMs > AT_MS && markIvPct > 0);
        const expected = priced.reduce((sum, { openInterest }) => sum + openInterest, 0);
        const counted = strikes.reduce((sum, { callOi, putOi }) => sum + callOi + putOi, 0);
        expect(Math.abs(counted - expected)).toBeLessThanOrEqual(1e-9 * expected);
        const ascending = strikes.map(({ strike }) => strike);
        expect(ascending).toEqual([...new Set(ascending)].toSorted((a, b) => a - b));
      }),
    );
  });

  it('turns round when calls and puts change places', () => {
    fc.assert(
      fc.property(chains, (options) => {
        const turned = options.map((one) => ({ ...one, type: one.type === 'C' ? 'P' : 'C' }) as const);
        const [one, other] = [dealerGex(options, at), dealerGex(turned, at)];
        expect(other.total).toBe(-one.total || 0);
        expect(other.flip).toBe(one.flip);
        expect(other.putWall?.strike).toBe(one.callWall?.strike);
      }),
    );
  });

  it('leaves out expired options, those without open interest, and those without volatility', () => {
    const left = [
      quote({ expiryMs: AT_MS }),
      quote({ expiryMs: AT_MS - 1 }),
      quote({ openInterest: 0 }),
      quote({ markIvPct: 0 }),
    ];
    expect(dealerGex(left, { spot: 100_000, atMs: AT_MS })).toMatchObject({ total: 0, strikes: [] });
  });

  it('in the last hour is that of an hour', () => {
    const exposure = (leftMs: number): number =>
      dealerGex([quote({ expiryMs: AT_MS + leftMs })], { spot: 100_000, atMs: AT_MS }).total;
    expect(exposure(1)).toBe(exposure(3_600_000));
    expect(exposure(7_200_000)).toBeLessThan(exposure(3_600_000));
  });
});

describe('the flip', () => {
  it('is where the plainly re-priced total changes its sign, and no crossing of the grid is nearer', () => {
    let found = 0;
    fc.assert(
      fc.property(chains, (options) => {
        const { flip } = dealerGex(options, at);
        const total = (times: number): number => plainTotal(options, SPOT, SPOT * times);
        const grid = Array.from({ length: 201 }, (_, i) => 0.5 + i / 200);
        const crossed = grid.filter((times, i) => i > 0 && total(times) * total(grid[i - 1] as number) < 0);
        if (flip === undefined) {
          expect(crossed).toEqual([]);
          return;
        }
        found += 1;
        const times = flip / SPOT;
        expect(total(times - 1e-8) * total(times + 1e-8)).toBeLessThanOrEqual(0);
        for (const end of crossed) {
          const nearestOfCell = Math.min(Math.abs(end - 1), Math.abs(end - 0.005 - 1));
          expect(Math.abs(times - 1)).toBeLessThanOrEqual(nearestOfCell + 0.005 + 1e-9);
        }
      }),
      { seed: 3 },
    );
    expect(found).toBeGreaterThan(10);
  });

  it('is the nearer of two', () => {
    expect(nearestCrossing((times) => (times - 0.9) * (times - 1.3))).toBeCloseTo(0.9, 9);
    expect(nearestCrossing((times) => (times - 0.6) * (times - 1.1))).toBeCloseTo(1.1, 9);
  });

  it('is none where nothing crosses zero within half of spot, also where it is only touched', () => {
    expect(nearestCrossing(() => 1)).toBeUndefined();
    expect(nearestCrossing(() => 0)).toBeUndefined();
    expect(nearestCrossing((times) => times - 1.51)).toBeUndefined();
    expect(nearestCrossing((times) => (times - 1) ** 2)).toBeUndefined();
    expect(dealerGex([quote()], { spot: 100_000, atMs: AT_MS })).not.toHaveProperty('flip');
  });

  it('is found where the total is nothing on the way from one sign to the other', () => {
    expect(nearestCrossing((times) => times - 1)).toBeCloseTo(1, 9);
    const crossing = nearestCrossing((times) => (times < 0.8 ? -1 : times < 0.81 ? 0 : 1)) as number;
    expect(crossing).toBeGreaterThanOrEqual(0.795);
    expect(crossing).toBeLessThanOrEqual(0.815);
  });
});
