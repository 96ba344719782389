import { HOUR_MS } from '@crosstape/core';
import type { CoinMarket } from './coin-market.ts';

/** The premium is sampled this often, and averaged over the hour. */
const SAMPLE_MS = 30_000;
/** 0.01 % per 8 hours, while the premium stays within the clamp around it. */
const INTEREST_8H = 0.0001;
const CLAMP_8H = 0.0005;
const HOURLY_MAX = 0.04;

export interface FundingState {
  /** Per hour, as a fraction. */
  readonly rate: number;
  /** Mean premium that it follows from. */
  readonly premium: number;
}

/**
 * Funding of the hour in progress, from the samples since its start.
 * https://hyperliquid.gitbook.io/hyperliquid-docs/trading/funding
 */
export function fundingAt(market: CoinMarket, atMs: number): FundingState {
  return average(market, Math.floor(atMs / HOUR_MS) * HOUR_MS, atMs);
}

/** Funding paid at a full hour, from the samples of the previous hour. */
export function fundingPaid(market: CoinMarket, hourMs: number): FundingState {
  return average(market, hourMs - HOUR_MS, hourMs - 1);
}

function average(market: CoinMarket, fromMs: number, untilMs: number): FundingState {
  const samples = Math.floor((untilMs - fromMs) / SAMPLE_MS) + 1;
  const premium = premiumSum(market, fromMs, samples) / samples;
  const correction = Math.max(-CLAMP_8H, Math.min(CLAMP_8H, INTEREST_8H - premium));
  const rate = (premium + correction) / 8;
  return { rate: Math.max(-HOURLY_MAX, Math.min(HOURLY_MAX, rate)), premium };
}

/** Sums of the first samples of the last requested hour: every venue requests the same ones. */
const sums = new WeakMap<CoinMarket, { readonly fromMs: number; readonly first: number[] }>();

function premiumSum(market: CoinMarket, fromMs: number, samples: number): number {
  let hour = sums.get(market);
  if (hour?.fromMs !== fromMs) sums.set(market, (hour = { fromMs, first: [0] }));
  const { first } = hour;
  for (let i = first.length; i <= samples; i += 1) {
    first.push((first[i - 1] ?? 0) + market.premiumAt(fromMs + (i - 1) * SAMPLE_MS));
  }
  return first[samples] ?? 0;
}
