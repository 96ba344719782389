import type { DayOpen, SpotTicker } from '@crosstape/core';
import { rowAtMs, type Snapshot } from '../topics.ts';
import { median } from './median.ts';

/** A price older than this is stale, by the older of the venue's time and the time of receipt. */
export const SPOT_STALE_MS = 60_000;

/** What a venue last told of its spot pairs. */
export interface VenueSpot {
  /** Plain id of the venue. */
  readonly venue: string;
  readonly tickers: Snapshot<SpotTicker>;
  /** From a venue that tells apart what its pairs cost a day ago. */
  readonly opens?: Snapshot<DayOpen>;
}

/** What a currency is worth in dollars. */
export interface UsdRate {
  readonly rate: number;
  /** Time of the oldest price that it is made from. */
  readonly asOfMs: number;
  readonly isStale: boolean;
  /** Whose prices it is made from. */
  readonly venues: readonly string[];
}

/** USDT in dollars: the median of the venues that trade it against the dollar itself. */
export function usdtRate(spots: readonly VenueSpot[], nowMs: number): UsdRate | undefined {
  return usdRate('USDT', spots, nowMs);
}

/** The median of the fresh venues; where all are stale, the newest price, which is stale. */
export function usdRate(currency: string, spots: readonly VenueSpot[], nowMs: number): UsdRate | undefined {
  const told = spots.flatMap(({ venue, tickers }) => {
    const i = tickers.rows.findIndex(({ coin, quote }) => coin === currency && quote === 'USD');
    const row = tickers.rows[i];
    return row ? [{ venue, price: midOrLast(row), asOfMs: asOfMs(row, rowAtMs(tickers, i)) }] : [];
  });
  const fresh = told.filter((one) => nowMs - one.asOfMs <= SPOT_STALE_MS);
  const used = fresh.length > 0 ? fresh : told.toSorted((a, b) => b.asOfMs - a.asOfMs).slice(0, 1);
  const rate = median(used.map(({ price }) => price));
  if (rate === undefined) return undefined;
  return {
    rate,
    asOfMs: Math.min(...used.map((one) => one.asOfMs)),
    isStale: fresh.length === 0,
    venues: used.map(({ venue }) => venue),
  };
}

/** The older of the venue's time and the time of receipt. */
export function asOfMs({ venueTs }: SpotTicker, fetchedAtMs: number): number {
  return Math.min(venueTs ?? fetchedAtMs, fetchedAtMs);
}

/** The middle of bid and ask when both are there, else the last trade. */
export function midOrLast({ bid, ask, last }: Pick<SpotTicker, 'bid' | 'ask' | 'last'>): number {
  return bid === undefined || ask === undefined ? last : (bid + ask) / 2;
}
