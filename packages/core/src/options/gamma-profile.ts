import type { OptionQuote } from '../records.ts';
import { d1Of } from './black76.ts';
import { yearsToExpiry } from './expiry.ts';
import { normalDensity } from './normal.ts';

/** Exposure is expressed per move of one percent. */
const MOVE = 0.01;

/** The market's state. */
export interface Spot {
  readonly spot: number;
  readonly atMs: number;
}

/**
 * Dealer exposure of options as a function of the spot price, in dollars per move of 1 %, assuming that dealers are
 * long calls and short puts: sign × gamma × open interest × spot² × 0.01. Forwards move in proportion to spot;
 * volatilities and times stay. Options without open interest or volatility, and expired ones, are left out.
 */
export class GammaProfile {
  /** The options that count, in their original order. */
  readonly options: readonly OptionQuote[];
  readonly #d1: Float64Array;
  /** Change of d1 with the logarithm of spot. */
  readonly #slope: Float64Array;
  /** Factor of the density at d1. */
  readonly #weight: Float64Array;

  constructor(options: readonly OptionQuote[], { spot, atMs }: Spot) {
    this.options = options.filter(
      ({ openInterest, markIvPct, expiryMs }) => openInterest > 0 && markIvPct > 0 && expiryMs > atMs,
    );
    const count = this.options.length;
    this.#d1 = new Float64Array(count);
    this.#slope = new Float64Array(count);
    this.#weight = new Float64Array(count);
    for (const [i, { strike, forward, markIvPct, expiryMs, openInterest, type }] of this.options.entries()) {
      const years = yearsToExpiry(expiryMs, atMs) as number;
      const volatility = markIvPct / 100;
      const slope = 1 / (volatility * Math.sqrt(years));
      this.#d1[i] = d1Of({ forward, strike, volatility, years });
      this.#slope[i] = slope;
      this.#weight[i] = ((type === 'C' ? 1 : -1) * openInterest * spot * spot * MOVE * slope) / forward;
    }
  }

  /** Exposure of the option at this index, at the current spot. */
  at(index: number): number {
    return (this.#weight[index] ?? 0) * normalDensity(this.#d1[index] ?? 0);
  }

  /** Total exposure if spot were multiplied by this. */
  total(times: number): number {
    const log = Math.log(times);
    let sum = 0;
    for (let i = 0; i < this.#d1.length; i += 1) {
      sum += this.#weight[i]! * normalDensity(this.#d1[i]! + this.#slope[i]! * log);
    }
    return times * sum;
  }
}
