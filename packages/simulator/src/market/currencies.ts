import { DAY_MS, hashText, HOUR_MS, MINUTE_MS } from '@crosstape/core';
import { type ExcursionShape, Excursions } from './excursions.ts';
import { mix, type NoiseShape, SmoothNoise } from './noise.ts';

const BPS = 1e-4;

const QUIET: NoiseShape = { longestMs: 4 * HOUR_MS, octaves: 3, roughness: 0.5 };
const TETHER_BPS = 1.5;
const OFF_PEG: ExcursionShape = { everyMs: 3 * HOUR_MS, lengthMs: 20 * MINUTE_MS, least: 40, most: 120 };

const KRW_PER_USD = 1465;
const SLOW: NoiseShape = { longestMs: 8 * DAY_MS, octaves: 5, roughness: 0.5 };
const KRW_BPS = 60;

const PREMIUM: NoiseShape = { longestMs: 6 * HOUR_MS, octaves: 3, roughness: 0.5 };
const PREMIUM_MEAN_BPS = 60;
const PREMIUM_BPS = 40;
/** 8 of 32 minutes, so that an observer sees one within an hour. */
const SPIKES: ExcursionShape = { everyMs: 32 * MINUTE_MS, lengthMs: 8 * MINUTE_MS, least: 600, most: 720 };

/** Exchange rates of the simulated world: functions of seed and time like everything else. */
export class Currencies {
  readonly #tether: SmoothNoise;
  readonly #offPeg: Excursions;
  readonly #circle: SmoothNoise;
  readonly #won: SmoothNoise;
  readonly #premium: SmoothNoise;
  readonly #spikes: Excursions;

  constructor(seed: number) {
    const salt = (name: string): number => mix(seed, hashText(`currency ${name}`));
    this.#tether = new SmoothNoise(salt('USDT'), QUIET);
    this.#offPeg = new Excursions(salt('off peg'), OFF_PEG);
    this.#circle = new SmoothNoise(salt('USDC'), QUIET);
    this.#won = new SmoothNoise(salt('KRW'), SLOW);
    this.#premium = new SmoothNoise(salt('Korean premium'), PREMIUM);
    this.#spikes = new Excursions(salt('Korean spikes'), SPIKES);
  }

  /** A tether in dollars: near its peg, which it leaves now and then. */
  usdt(atMs: number): number {
    return 1 + BPS * (TETHER_BPS * this.#tether.at(atMs) + this.#offPeg.at(atMs));
  }

  usdc(atMs: number): number {
    return 1 + BPS * this.#circle.at(atMs);
  }

  /** Won for a dollar; over the weekend it rests. */
  usdKrw(atMs: number): number {
    return KRW_PER_USD * (1 + BPS * KRW_BPS * this.#won.at(bankTimeMs(atMs)));
  }

  /** By which a coin costs more in Korea, as a fraction: it wanders, and has spikes to either side. */
  koreanPremium(atMs: number): number {
    return BPS * (PREMIUM_MEAN_BPS + PREMIUM_BPS * this.#premium.at(atMs) + this.#spikes.at(atMs));
  }
}

/** The last minute with a bank rate: this one, or the last one of Friday. */
export function bankTimeMs(atMs: number): number {
  const day = Math.floor(atMs / DAY_MS);
  // The first day of 1970 was a Thursday.
  const weekday = (day + 4) % 7;
  const daysBack = weekday === 6 ? 1 : weekday === 0 ? 2 : 0;
  if (daysBack === 0) return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  return (day - daysBack + 1) * DAY_MS - MINUTE_MS;
}
