import { hashText } from '@crosstape/core';
import type { Coin } from './coins.ts';
import { mix } from './noise.ts';

/** How large the simulated venues are: a small market for everyday work, or about the size of the real ones. */
export const SIMULATOR_SIZES = ['everyday', 'real'] as const;
export type SimulatorSize = (typeof SIMULATOR_SIZES)[number];

/** The largest `rate` of each size. */
export const RATE_MAX: Readonly<Record<SimulatorSize, number>> = { everyday: 200, real: 2 };

const WEEK_S = 7 * 86_400;
/** Mean of volatility over time: its mean square is 1, so its mean is less. */
export const TURBULENCE_MEAN = 0.79;
/** Trades a second on all coins of the primary venue at real size, on average and in a burst. */
const REAL_TRADES_PER_S = 3_000;
const BURST_TRADES_PER_S = 10_000;
/** One slot of 8.2 s in every eight is a burst, on all coins at once. */
const BURST_EVERY_SLOTS = 8;
/** In crowded blocks an order finds less to fill. Measured: how many more orders it takes. */
const CROWDED = { calm: 1.05, burst: 1.12 };
const CALM_TRADES_PER_S =
  (BURST_EVERY_SLOTS * REAL_TRADES_PER_S - BURST_TRADES_PER_S) / (BURST_EVERY_SLOTS - 1);

/** Trades on the other venues at real size, against the everyday market: about 3,000 a second on its 20 largest coins. */
const REAL_OTHERS = 15;
/** Trades of a busy slot of eight on the other venues, in those of an average one. */
const BUSY_EVERYDAY = 2.2;
const BUSY_REAL = BURST_TRADES_PER_S / REAL_TRADES_PER_S;

/** Rate of trades on the secondary venues. */
export interface OtherPace {
  /** On average, against the everyday market at rate 1. */
  readonly rate: number;
  readonly busy: number;
  /** Decides when a market is busy: at real size all are at once, with the primary venue. */
  readonly busySalt?: number;
}

export function otherPace(rate: number, size: SimulatorSize, seed: number): OtherPace {
  if (size === 'everyday') return { rate, busy: BUSY_EVERYDAY };
  return { rate: rate * REAL_OTHERS, busy: BUSY_REAL, busySalt: burstSalt(seed) };
}

function burstSalt(seed: number): number {
  return mix(seed, hashText('bursts'));
}

/** Number of orders over time, relative to a calm market at rate 1. */
export interface Pace {
  /** On average. */
  readonly mean: number;
  /** In a slot, given its volatility against the average. */
  at(slot: number, turbulence: number): number;
}

/** At everyday size activity follows volatility. */
export function everydayPace(rate: number): Pace {
  return { mean: rate, at: (_slot, turbulence) => rate * turbulence };
}

/** At real size the number of trades is fixed, with bursts, independent of volatility: it serves as a load. */
export function realPace(rate: number, seed: number, coins: readonly Coin[]): Pace {
  const salt = burstSalt(seed);
  const own = coins.filter(({ dex }) => dex === '');
  const usualPerS = own.reduce((sum, { tradesPerWeek }) => sum + tradesPerWeek, 0) / WEEK_S;
  const factorOf = (perS: number): number => (rate * perS) / usualPerS;
  const calm = factorOf(CALM_TRADES_PER_S * CROWDED.calm);
  const burst = factorOf(BURST_TRADES_PER_S * CROWDED.burst);
  return {
    mean: factorOf(REAL_TRADES_PER_S),
    at(slot) {
      const stretch = Math.floor(slot / BURST_EVERY_SLOTS);
      const burstAt = (mix(salt, stretch) >>> 0) % BURST_EVERY_SLOTS;
      return TURBULENCE_MEAN * (slot - stretch * BURST_EVERY_SLOTS === burstAt ? burst : calm);
    },
  };
}
