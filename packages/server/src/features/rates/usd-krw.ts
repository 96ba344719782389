import { type ExchangeRate, HOUR_MS } from '@crosstape/core';
import { fxPublishers } from '@crosstape/venues';
import type { Snapshot } from '../../topics.ts';

/** A daily rate is valid for a day; then the next provider is used. */
const FRESH_MS = 24 * HOUR_MS;
/** Longer than any weekend with a holiday. */
const STALE_MS = 4 * 24 * HOUR_MS;

export interface UsdKrw {
  /** Won for a dollar. */
  readonly rate: number;
  readonly provider: string;
  /** Time of the rate according to the provider. */
  readonly asOfMs: number;
  readonly fetchedAtMs: number;
  readonly isStale: boolean;
}

/** The sources of USD/KRW in the order of preference. */
export const fxSources: readonly string[] = fxPublishers.map(({ id }) => id);

/** The first provider with a rate of the last 24 hours; else the newest one, stale after four days. */
export function usdKrw(
  /** In the order of preference. */
  tables: readonly Snapshot<ExchangeRate>[],
  nowMs: number,
): UsdKrw | undefined {
  const reported = tables.flatMap(({ venue, rows, fetchedAtMs }) => {
    const row = rows.find(({ coin, quote }) => coin === 'USD' && quote === 'KRW');
    if (!row) return [];
    const isStale = nowMs - row.asOfMs > STALE_MS;
    return [{ rate: row.rate, provider: venue, asOfMs: row.asOfMs, fetchedAtMs, isStale }];
  });
  const fresh = reported.find((one) => nowMs - one.asOfMs <= FRESH_MS);
  return fresh ?? reported.toSorted((a, b) => b.asOfMs - a.asOfMs)[0];
}
