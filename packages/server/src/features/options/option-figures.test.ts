import { dealerGex, type OptionQuote } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { optionFigures } from './option-figures.ts';

const AT_MS = Date.UTC(2026, 10, 16, 14, 30);
const EXPIRY_MS = Date.UTC(2026, 10, 27, 8);

function option(fields: Partial<OptionQuote> = {}): OptionQuote {
  return {
    coin: 'BTC',
    symbol: 'BTC-27NOV26-100000-C',
    type: 'C',
    strike: 100_000,
    expiryMs: EXPIRY_MS,
    isLinear: false,
    openInterest: 100,
    volume24hCoins: 1,
    markIvPct: 50,
    markPrice: 0.02,
    forward: 100_500,
    ...fields,
  };
}

const chain = [
  option(),
  option({ type: 'P', strike: 90_000, markIvPct: 55 }),
  option({ type: 'P' }),
  option({ strike: 110_000, openInterest: 300 }),
];

function figuresOf(
  options: readonly OptionQuote[],
  spot?: number,
  otherOi = 0,
): ReturnType<typeof optionFigures> {
  return optionFigures({ coin: 'BTC', options, otherOi, atMs: AT_MS, ...(spot !== undefined && { spot }) });
}

describe('the exposure that is served', () => {
  it('is that of the chain, to the cent, with the share of all open interest that it covers', () => {
    const expired = option({ expiryMs: AT_MS - 1, openInterest: 5_000 });
    const { gex } = figuresOf([...chain, expired], 100_000, 200);
    const exact = dealerGex(chain, { spot: 100_000, atMs: AT_MS });
    expect(gex?.totalGex).toBeCloseTo(exact.total, 2);
    expect(gex?.gammaFlip).toBeCloseTo(exact.flip as number, 6);
    expect(gex?.strikes.map(({ strike }) => strike)).toEqual([90_000, 100_000, 110_000]);
    expect(gex?.callWall.strike).toBe(110_000);
    expect(gex?.putWall.gex).toBeLessThan(0);
    expect(gex?.oiCoveredPct).toBe(75);
  });

  it('counts open interest without a volatility as not covered', () => {
    const { gex } = figuresOf(
      [...chain, option({ strike: 120_000, markIvPct: 0, openInterest: 600 })],
      100_000,
    );
    expect(gex?.oiCoveredPct).toBe(50);
    expect(gex?.strikes).toHaveLength(3);
  });

  it('is not there without a spot price, or without any puts', () => {
    expect(figuresOf(chain)).not.toHaveProperty('gex');
    expect(
      figuresOf(
        chain.filter(({ type }) => type === 'C'),
        100_000,
      ),
    ).not.toHaveProperty('gex');
    expect(figuresOf([], 100_000)).not.toHaveProperty('gex');
  });
});

describe('the skew that is served', () => {
  it('is in fractions, by label, ascending', () => {
    const later = Date.UTC(2027, 0, 1, 8);
    const { skew } = figuresOf([...chain.map((one) => ({ ...one, expiryMs: later })), ...chain]);
    expect(Object.keys(skew.smileByExpiry)).toEqual(['27NOV26', '01JAN27']);
    expect(skew.smileByExpiry['27NOV26']).toEqual([
      { strike: 90_000, iv: 0.55, type: 'P', moneyness: 0.895522 },
      { strike: 100_000, iv: 0.5, type: 'P', moneyness: 0.995025 },
      { strike: 100_000, iv: 0.5, type: 'C', moneyness: 0.995025 },
      { strike: 110_000, iv: 0.5, type: 'C', moneyness: 1.094527 },
    ]);
    const [{ rr25 = 0, bf25 = 0, ...first } = {}] = skew.termStructure;
    expect(first).toEqual({
      expiryMs: EXPIRY_MS,
      expiryLabel: '27NOV26',
      dteDays: 10.73,
      atmIv: 0.5,
      maxPain: 100_000,
    });
    // Calls are flat at 50 %; the put of delta −0.25 is between 50 % and 55 %.
    expect(rr25).toBeLessThan(0);
    expect(rr25).toBeGreaterThan(-0.05);
    expect(bf25).toBeCloseTo(-rr25 / 2, 5);
  });

  it('has the max pain of an expiry from all its open interest, also that without a volatility', () => {
    const unpriced = option({ type: 'P', strike: 120_000, markIvPct: 0, openInterest: 1_000 });
    const { skew } = figuresOf([...chain, unpriced]);
    expect(skew.termStructure[0]?.maxPain).toBe(120_000);
    const puts = figuresOf(chain.map((one) => (one.type === 'C' ? { ...one, openInterest: 0 } : one)));
    expect(puts.skew.termStructure[0]).not.toHaveProperty('maxPain');
  });

  it('leaves an expiry with strikes on one side only out of the term structure, not out of the smiles', () => {
    const { skew } = figuresOf([option({ strike: 120_000 })]);
    expect(skew.smileByExpiry['27NOV26']).toHaveLength(1);
    expect(skew.termStructure).toEqual([]);
  });
});
