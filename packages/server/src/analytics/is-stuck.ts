import type { PredictionBook } from '@crosstape/core';

/** The price that an event tells is up to a minute old: it may have moved by so much since. */
const PRICE_APART_MAX = 0.1;
/** A spread may have widened by so much. */
const SPREAD_WIDER_MAX = 0.2;
/** A book that did not change for so long had its say in what the event tells, and must agree with it closely. */
const UNCHANGED_MS = 5 * 60_000;
const TICK = 0.01;

/**
 * Whether a book contradicts what its event says of the outcome; null when that is too little to tell. Books have been
 * seen that showed nothing but the outermost prices, or what they were hours ago, for as long as they were asked for,
 * while trading went on.
 */
export function isStuck(
  book: Pick<PredictionBook, 'bids' | 'asks' | 'venueTs' | 'receivedAtMs'>,
  { price, spread }: { readonly price: number; readonly spread?: number },
): boolean | null {
  const bid = book.bids[0]?.[0] ?? 0;
  const ask = book.asks[0]?.[0] ?? 1;
  if (bid >= ask) return true;
  const isUnchanged = book.receivedAtMs - book.venueTs > UNCHANGED_MS;
  const apartMax =
    isUnchanged && spread !== undefined ? Math.min(spread + TICK, PRICE_APART_MAX) : PRICE_APART_MAX;
  if (price < bid - apartMax || price > ask + apartMax) return true;
  if (spread !== undefined) return ask - bid > spread + SPREAD_WIDER_MAX;
  return ask - bid > SPREAD_WIDER_MAX ? null : false;
}
