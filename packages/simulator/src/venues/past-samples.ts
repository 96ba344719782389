import { HOUR_MS } from '@crosstape/core';

/** Hours searched for payments, whatever the request. */
const HOURS_MAX = 24 * 1000;

/** A rate that was paid. */
export interface PaidRate {
  readonly paidMs: number;
  readonly rate: number;
}

interface PaidRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
  readonly skip?: number;
}

/** Source of past rates: funding of the period in progress, on a venue or the primary one. */
export interface PayingMarket {
  periodHours(coin: string, atMs: number): number;
  funding(coin: string, atMs: number): { readonly rate: number };
}

/**
 * Rates paid with `fromMs <= paidMs <= toMs`, newest first and at most `limit` after the first `skip`: each is the
 * venue's quote right before the payment.
 */
export function paidRates(
  market: PayingMarket,
  coin: string,
  { fromMs, toMs, limit, skip = 0 }: PaidRange,
): readonly PaidRate[] {
  const paid: PaidRate[] = [];
  let skipped = 0;
  const newestMs = Math.floor(toMs / HOUR_MS) * HOUR_MS;
  const oldestMs = Math.max(fromMs, newestMs - HOURS_MAX * HOUR_MS);
  for (let paidMs = newestMs; paidMs >= oldestMs && paid.length < limit; paidMs -= HOUR_MS) {
    if (paidMs % (market.periodHours(coin, paidMs - 1) * HOUR_MS) !== 0) continue;
    if (skipped < skip) {
      skipped += 1;
      continue;
    }
    paid.push({ paidMs, rate: market.funding(coin, paidMs - 1).rate });
  }
  return paid;
}

/** Full periods in `fromMs <= ts <= toMs`, newest first and at most `limit`. */
export function pastTimes(
  periodMs: number,
  { fromMs, toMs, limit }: { readonly fromMs: number; readonly toMs: number; readonly limit: number },
): readonly number[] {
  const newestMs = Math.floor(toMs / periodMs) * periodMs;
  const count = Math.min(limit, Math.floor((newestMs - fromMs) / periodMs) + 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) => newestMs - i * periodMs);
}
