import { DAY_MS, hash32 } from '@crosstape/core';
import type { Market } from '../../market/market.ts';
import { type NoiseShape, SmoothNoise } from '../../market/noise.ts';

const SUPPLY = 19_950_000;
/** Cost basis of holders, relative to the usual price: it moves over months. */
const COST: NoiseShape = { longestMs: 180 * DAY_MS, octaves: 2, roughness: 0.4 };
const COST_SHARE = 0.6;

/** How a metric is served: its value on a day, and its delay for callers without a key. */
export interface Metric {
  readonly path: string;
  readonly field: string;
  readonly delayDays: number;
  /** Numbers, numbers as texts, or a page of one row: all have been seen [M]. */
  readonly form: 'number' | 'text' | 'page';
  value(market: Market, dayMs: number): number;
}

export const METRICS: readonly Metric[] = [
  {
    path: 'mvrv-zscore',
    field: 'mvrvZscore',
    delayDays: 7,
    form: 'number',
    value: (market, dayMs) => 2.4 * (mvrv(market, dayMs) - 1),
  },
  {
    path: 'nupl',
    field: 'nupl',
    delayDays: 7,
    form: 'text',
    value: (market, dayMs) => 1 - 1 / mvrv(market, dayMs),
  },
  {
    path: 'puell-multiple',
    field: 'puellMultiple',
    delayDays: 7,
    form: 'number',
    value: (market, dayMs) => Math.exp(0.3 * noise(market, 2).at(dayMs)),
  },
  {
    path: 'reserve-risk',
    field: 'reserveRisk',
    delayDays: 8,
    form: 'page',
    value: (market, dayMs) => 0.0018 * Math.exp(0.4 * noise(market, 3).at(dayMs)),
  },
  {
    path: 'realized-cap',
    field: 'realizedCap',
    delayDays: 1,
    form: 'number',
    value: (market, dayMs) => Math.round(SUPPLY * realizedPrice(market, dayMs)),
  },
];

function mvrv(market: Market, dayMs: number): number {
  return market.quote('BTC', dayMs).index / realizedPrice(market, dayMs);
}

function realizedPrice(market: Market, dayMs: number): number {
  const { price: usual = 0 } = market.coins.find(({ name }) => name === 'BTC') ?? {};
  return COST_SHARE * usual * Math.exp(0.05 * noise(market, 1).at(dayMs));
}

function noise({ seed }: Market, salt: number): SmoothNoise {
  return new SmoothNoise(hash32(seed, 0xb17c, salt), COST);
}
