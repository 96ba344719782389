import { HOUR_MS, type IndexPrice, type OptionQuote, type OptionTrade } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../topics.ts';
import { forwardRatiosOf, withGreeks } from './trade-greeks.ts';

const AT_MS = Date.UTC(2026, 10, 16, 14, 30);
const EXPIRY_MS = Date.UTC(2027, 5, 25, 8);

function snapshot<Row>(rows: readonly Row[], fetchedAtMs: number): Snapshot<Row> {
  return { venue: 'deribit', rows, fetchedAtMs, everyMs: 30_000 };
}

const chainAt = (ms: number): Snapshot<OptionQuote> =>
  snapshot([{ coin: 'BTC', expiryMs: EXPIRY_MS, forward: 103_000 } as OptionQuote], ms);
const indexAt = (ms: number): Snapshot<IndexPrice> =>
  snapshot([{ coin: 'BTC', symbol: 'btc_usd', index: 100_000 }], ms);

describe('the ratio of forward to index', () => {
  const ratio = (chainMs: number, indexMs: number, coin = 'BTC'): number =>
    forwardRatiosOf(chainAt(chainMs), indexAt(indexMs), AT_MS)(coin, EXPIRY_MS);

  it('is that of the chain', () => {
    expect(ratio(AT_MS - HOUR_MS, AT_MS - HOUR_MS + 60_000)).toBe(1.03);
  });

  it('is one where the chain is old, the index of another time, or the coin not in it', () => {
    expect(ratio(AT_MS - HOUR_MS - 1, AT_MS - HOUR_MS)).toBe(1);
    expect(ratio(AT_MS, AT_MS - 60_001)).toBe(1);
    expect(ratio(AT_MS, AT_MS, 'ETH')).toBe(1);
    expect(forwardRatiosOf(undefined, indexAt(AT_MS), AT_MS)('BTC', EXPIRY_MS)).toBe(1);
  });
});

describe('the greeks of a trade', () => {
  const trade: OptionTrade = {
    id: '1',
    coin: 'BTC',
    symbol: 'BTC-25JUN27-100000-C',
    type: 'C',
    strike: 100_000,
    expiryMs: EXPIRY_MS,
    isLinear: false,
    ts: AT_MS,
    side: 'buy',
    price: 0.1,
    size: 1,
    ivPct: 50,
    markPrice: 0.1,
    index: 100_000,
  };

  it('are those of the forward of its expiry', () => {
    const flat = withGreeks(trade, () => 1);
    const steep = withGreeks(trade, () => 1.03);
    // At the money forward: N(σ√t / 2), with σ√t = 0.389.
    expect(flat.delta).toBeCloseTo(0.577, 3);
    expect(steep.delta).toBeGreaterThan(flat.delta + 0.02);
    expect(withGreeks({ ...trade, type: 'P' }, () => 1).delta).toBeCloseTo(flat.delta - 1, 5);
    expect(flat.vega).toBeCloseTo((100_000 * 0.3915 * Math.sqrt(0.6048)) / 100, -1);
  });

  it.each([
    ['C', 90_000, 1],
    ['C', 110_000, 0],
    ['P', 110_000, -1],
    ['P', 90_000, 0],
  ] as const)('of a %s at %d without a volatility are those of what it would pay', (type, strike, delta) => {
    expect(withGreeks({ ...trade, type, strike, ivPct: 0 }, () => 1)).toMatchObject({ delta, vega: 0 });
  });
});
