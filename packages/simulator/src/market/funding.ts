import type { CoinMarket } from './coin-market.ts';

export const HOUR_MS = 3_600_000;
/** The premium is sampled this often, and averaged over the hour. */
const SAMPLE_MS = 30_000;
/** 0.01 % per 8 hours, which holds as long as the premium stays within the clamp around it. */
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
 * What the hour in progress will pay, from the samples since its start.
 * https://hyperliquid.gitbook.io/hyperliquid-docs/trading/funding
 */
export function fundingAt(market: CoinMarket, atMs: number): FundingState {
  return average(market, Math.floor(atMs / HOUR_MS) * HOUR_MS, atMs);
}

/** What was paid at a full hour, from the samples of the hour before. */
export function fundingPaid(market: CoinMarket, hourMs: number): FundingState {
  return average(market, hourMs - HOUR_MS, hourMs - 1);
}

function average(market: CoinMarket, fromMs: number, untilMs: number): FundingState {
  let sum = 0;
  let samples = 0;
  for (let atMs = fromMs; atMs <= untilMs; atMs += SAMPLE_MS) {
    sum += market.premiumAt(atMs);
    samples += 1;
  }
  const premium = sum / samples;
  const correction = Math.max(-CLAMP_8H, Math.min(CLAMP_8H, INTEREST_8H - premium));
  const rate = (premium + correction) / 8;
  return { rate: Math.max(-HOURLY_MAX, Math.min(HOURLY_MAX, rate)), premium };
}
