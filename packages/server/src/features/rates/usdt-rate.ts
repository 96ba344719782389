import type { DayOpen, SpotQuote, SpotTicker } from '@crosstape/core';
import { rowAtMs, type Snapshot, type UsdRate } from '../../topics.ts';
import { median } from './median.ts';
import { pairRow } from './pair-rows.ts';

/** A price older than this is stale, by the older of the venue's time and the time of receipt. */
export const SPOT_STALE_MS = 60_000;
/** A quote that was pushed is preferred to one that was polled, unless it is older by more than this. */
const PUSHED_BEFORE_MAX_MS = 2_000;

/** The spot pairs of a venue. */
export interface VenueSpot {
  /** Plain id of the venue. */
  readonly venue: string;
  /** As polled: every pair, with its 24-hour volume and change. */
  readonly tickers: Snapshot<SpotTicker>;
  /** As pushed: the subscribed pairs. */
  readonly quotes?: Snapshot<SpotQuote>;
  /** From a venue that serves yesterday's prices of its pairs separately. */
  readonly opens?: Snapshot<DayOpen>;
}

/** USDT in dollars: the median of the venues that trade it against the dollar itself. */
export function usdtRate(spots: readonly VenueSpot[], nowMs: number): UsdRate | undefined {
  return usdRate('USDT', spots, nowMs);
}

/** The median of the fresh venues; where all are stale, the newest price, which is stale. */
export function usdRate(currency: string, spots: readonly VenueSpot[], nowMs: number): UsdRate | undefined {
  const reported = spots.flatMap((spot) => {
    const prices = pairPrices(spot, pairRow(spot.tickers.rows, currency, 'USD'));
    return prices ? [{ venue: spot.venue, price: midOrLast(prices), asOfMs: prices.asOfMs }] : [];
  });
  const fresh = reported.filter((one) => nowMs - one.asOfMs <= SPOT_STALE_MS);
  const used = fresh.length > 0 ? fresh : reported.toSorted((a, b) => b.asOfMs - a.asOfMs).slice(0, 1);
  const rate = median(used.map(({ price }) => price));
  if (rate === undefined) return undefined;
  return {
    rate,
    asOfMs: Math.min(...used.map((one) => one.asOfMs)),
    isStale: fresh.length === 0,
    venues: used.map(({ venue }) => venue),
  };
}

/** The newest prices of one pair. */
interface PairPrices {
  readonly last: number;
  readonly bid?: number;
  readonly ask?: number;
  readonly receivedAtMs: number;
  /** The older of the venue's own time and that of receipt. */
  readonly asOfMs: number;
}

/** Prices of the pair at an index of a venue's table: as pushed, else as last polled. */
export function pairPrices({ tickers, quotes }: VenueSpot, i: number): PairPrices | undefined {
  const row = tickers.rows[i];
  if (!row) return undefined;
  const polledAtMs = rowAtMs(tickers, i);
  const pushed = quotes?.rows.find(({ coin, quote }) => coin === row.coin && quote === row.quote);
  if (!pushed || pushed.receivedAtMs < polledAtMs - PUSHED_BEFORE_MAX_MS)
    return dated(row, row.last, polledAtMs);
  return dated(pushed, pushed.last ?? row.last, pushed.receivedAtMs);
}

function dated(
  { bid, ask, venueTs }: Pick<SpotTicker, 'bid' | 'ask' | 'venueTs'>,
  last: number,
  receivedAtMs: number,
): PairPrices {
  return {
    last,
    ...(bid !== undefined && { bid }),
    ...(ask !== undefined && { ask }),
    receivedAtMs,
    asOfMs: Math.min(venueTs ?? receivedAtMs, receivedAtMs),
  };
}

/** The mid of bid and ask if both exist, else the last trade. */
export function midOrLast({ bid, ask, last }: Pick<SpotTicker, 'bid' | 'ask' | 'last'>): number {
  return bid === undefined || ask === undefined ? last : (bid + ask) / 2;
}
