import type { OptionQuote, OptionType } from '../records.ts';
import { callDeltaOf } from './black76.ts';
import { yearsToExpiry } from './expiry.ts';

export interface SmilePoint {
  readonly strike: number;
  /** Implied volatility as a fraction. */
  readonly iv: number;
  readonly type: OptionType;
  /** Strike divided by the forward. */
  readonly moneyness: number;
}

export interface ExpirySkew {
  readonly expiryMs: number;
  /** By strike, ascending: puts below the forward, calls at or above it, both at the strike nearest to it. */
  readonly smile: readonly SmilePoint[];
  /** At the forward; absent if one side of it has no strike with a volatility. */
  readonly atmIv?: number;
  /** Volatility of the call of delta 0.25 minus that of the put of delta −0.25. */
  readonly rr25?: number;
  /** Mean of the two minus that at the forward. */
  readonly bf25?: number;
}

/** Implied volatility by strike of every future expiry, ascending. Options without a volatility are left out. */
export function skewByExpiry(options: readonly OptionQuote[], atMs: number): readonly ExpirySkew[] {
  const chains = new Map<number, OptionQuote[]>();
  for (const option of options) {
    if (option.markIvPct <= 0 || option.expiryMs <= atMs) continue;
    const chain = chains.get(option.expiryMs);
    if (chain) chain.push(option);
    else chains.set(option.expiryMs, [option]);
  }
  return [...chains.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([expiryMs, chain]) => skewOf(expiryMs, chain, atMs));
}

function skewOf(expiryMs: number, chain: readonly OptionQuote[], atMs: number): ExpirySkew {
  const forward = middleOf(chain.map((option) => option.forward));
  const smile = smileOf(chain, forward);
  const curve = smile.filter(({ type, moneyness }) => type === outside(moneyness));
  const atmIv = ivWhere(curve, ({ moneyness }) => moneyness, 1);
  const years = yearsToExpiry(expiryMs, atMs) as number;
  const deltas = curve.map((point) => ({
    iv: point.iv,
    delta: callDeltaOf({ forward, strike: point.strike, volatility: point.iv, years }),
  }));
  const call = ivWhere(deltas, ({ delta }) => delta, 0.25);
  const put = ivWhere(deltas, ({ delta }) => delta, 0.75);
  return {
    expiryMs,
    smile,
    ...(atmIv !== undefined && { atmIv }),
    ...(call !== undefined && put !== undefined && { rr25: call - put }),
    ...(call !== undefined && put !== undefined && atmIv !== undefined && { bf25: (call + put) / 2 - atmIv }),
  };
}

function smileOf(chain: readonly OptionQuote[], forward: number): readonly SmilePoint[] {
  const nearest = chain.reduce((best, { strike }) => {
    const [distance, least] = [Math.abs(strike - forward), Math.abs(best - forward)];
    return distance < least || (distance === least && strike < best) ? strike : best;
  }, Number.POSITIVE_INFINITY);
  return chain
    .map(({ strike, type, markIvPct }) => ({
      strike,
      iv: markIvPct / 100,
      type,
      moneyness: strike / forward,
    }))
    .filter(({ strike, type, moneyness }) => strike === nearest || type === outside(moneyness))
    .toSorted((a, b) => a.strike - b.strike || (a.type === 'P' ? -1 : 1));
}

/** The type that is out of the money there. */
function outside(moneyness: number): OptionType {
  return moneyness < 1 ? 'P' : 'C';
}

/** Linear interpolation between the neighbours of `wanted`; `undefined` unless there are two. */
function ivWhere<Point extends { readonly iv: number }>(
  points: readonly Point[],
  measure: (point: Point) => number,
  wanted: number,
): number | undefined {
  for (const [i, to] of points.entries()) {
    const above = measure(to) - wanted;
    if (above === 0) return to.iv;
    const from = points[i - 1];
    if (!from) continue;
    const below = measure(from) - wanted;
    if (below < 0 !== above < 0) return from.iv + ((to.iv - from.iv) * below) / (below - above);
  }
  return undefined;
}

/** All options of an expiry should have the same forward; an outlier must not move it. */
function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
