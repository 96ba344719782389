import type { PredictionBook } from '@crosstape/core';

/** The list of events is asked for once a minute: within that time a price moves by so much at most. */
const PRICE_APART_MAX = 0.1;
/** A book that changed so long after the price of its event was made need not agree with it: the list comes from a cache. */
const PRICE_AGE_MAX_MS = 60_000;
/** A spread may have widened by so much. */
const SPREAD_WIDER_MAX = 0.2;
/** A book that did not change for so long had its say in what the event tells, and must agree with it closely. */
const UNCHANGED_MS = 5 * 60_000;
const TICK = 0.01;

/** What the list of events says of an outcome. */
export interface EventPrice {
  readonly price: number;
  readonly spread?: number;
  /** When the venue made the list. */
  readonly asOfMs: number;
}

/**
 * Whether a book contradicts what its event says of the outcome; null when that is too little to tell. Books have been
 * seen that showed nothing but the outermost prices, or what they were hours ago, for as long as they were asked for,
 * while trading went on.
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
