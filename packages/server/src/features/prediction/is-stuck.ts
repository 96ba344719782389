import type { PredictionBook } from '@crosstape/core';

/** The list of events is polled once a minute: a price moves at most this much in that time. */
const PRICE_APART_MAX = 0.1;
/**
 * A book that changed this long after its event's price was made need not agree with it: the list comes from a cache.
 */
const PRICE_AGE_MAX_MS = 60_000;
/** A spread may have widened by so much. */
const SPREAD_WIDER_MAX = 0.2;
/** A book that did not change for this long is reflected in its event's price, and must agree with it closely. */
const UNCHANGED_MS = 5 * 60_000;
const TICK = 0.01;

/** An outcome in the list of events. */
export interface EventPrice {
  readonly price: number;
  readonly spread?: number;
  /** When the venue made the list. */
  readonly asOfMs: number;
}

/**
 * Whether a book contradicts its event's price of the outcome; null if too little is known. Some books showed only the
 * outermost prices, or their state of hours ago, for as long as they were polled, while trading continued.
 */
export function isStuck(
  book: Pick<PredictionBook, 'bids' | 'asks' | 'venueTs' | 'receivedAtMs'>,
  { price, spread, asOfMs }: EventPrice,
): boolean | null {
  const bid = book.bids[0]?.[0] ?? 0;
  const ask = book.asks[0]?.[0] ?? 1;
  if (bid >= ask) return true;
  const isUnchanged = book.receivedAtMs - book.venueTs > UNCHANGED_MS;
  const apartMax =
    isUnchanged && spread !== undefined ? Math.min(spread + TICK, PRICE_APART_MAX) : PRICE_APART_MAX;
  const isComparable = book.venueTs - asOfMs <= PRICE_AGE_MAX_MS;
  if (isComparable && (price < bid - apartMax || price > ask + apartMax)) return true;
  if (spread !== undefined) return ask - bid > spread + SPREAD_WIDER_MAX;
  return ask - bid > SPREAD_WIDER_MAX ? null : false;
}
