import { DAY_MS } from '@crosstape/core';
import type { Coin } from '../../market/coins.ts';
import { mix, type NoiseShape, SmoothNoise } from '../../market/noise.ts';

const YEAR_DAYS = 365;

const SLOW: NoiseShape = { longestMs: 20 * DAY_MS, octaves: 4, roughness: 0.5 };
/** Standard deviation of the logarithm of the level, … */
const LEVEL_SIGMA = 0.15;
/** … and of the addition of the nearest expiries, which fades over this many days. */
const FRONT_SIGMA = 0.12;
const FRONT_DAYS = 25;
/** Volatility falls by so much of itself a standard deviation up, give or take. */
const SLOPE = -0.035;
const SLOPE_SIGMA = 0.025;
const WINGS = 0.075;
/** Yield of a forward over spot per year. */
const CARRY = 0.05;
const CARRY_SIGMA = 0.025;

/**
 * Implied volatilities of one coin, smooth over strikes and expiries and slow in time: a level that the coin's own
 * volatility sets, a front end that moves more, a tilted smile whose wings are straight lines in standard deviations.
 */
export class Surface {
  /** Volatility per year, as a fraction, around which it moves. */
  readonly usual: number;
  readonly #level: SmoothNoise;
  readonly #front: SmoothNoise;
  readonly #slope: SmoothNoise;
  readonly #carry: SmoothNoise;

  constructor(salt: number, coin: Coin) {
    this.usual = coin.dailyVolatility * Math.sqrt(YEAR_DAYS);
    this.#level = new SmoothNoise(mix(salt, 1), SLOW);
    this.#front = new SmoothNoise(mix(salt, 2), SLOW);
    this.#slope = new SmoothNoise(mix(salt, 3), SLOW);
    this.#carry = new SmoothNoise(mix(salt, 4), SLOW);
  }

  /** Ratio of forward to spot. */
  forwardFactor(years: number, atMs: number): number {
    return Math.exp((CARRY + CARRY_SIGMA * this.#carry.at(atMs)) * years);
  }

  /** The smile of one expiry: volatility per year as a fraction, by strike divided by forward. */
  smile(years: number, atMs: number): (moneyness: number) => number {
    const fade = Math.exp((-years * YEAR_DAYS) / FRONT_DAYS);
    const noise = LEVEL_SIGMA * this.#level.at(atMs) + FRONT_SIGMA * fade * this.#front.at(atMs);
    const atTheMoney = this.usual * Math.exp(noise);
    const slope = SLOPE + SLOPE_SIGMA * Math.max(-1, Math.min(1, this.#slope.at(atMs)));
    const deviation = atTheMoney * Math.sqrt(years);
    return (moneyness) => {
      const x = Math.log(moneyness) / deviation;
      return atTheMoney * (1 + slope * x + WINGS * (Math.sqrt(1 + x * x) - 1));
    };
  }
}
