import type { PredictionBook } from '@crosstape/core';

/** The price that an event tells is up to a minute old: it may have moved by so much since. */
const PRICE_APART_MAX = 0.1;
/** A spread may have widened by so much. */
const SPREAD_WIDER_MAX = 0.2;

/**
 * Whether a book contradicts what its event says of the outcome. Books have been seen that showed nothing but the
 * outermost prices for as long as they were asked for, while trading went on.
 */
export function isStuck(
  { bids, asks }: Pick<PredictionBook, 'bids' | 'asks'>,
  event: { readonly price: number; readonly spread?: number },
): boolean {
  const bid = bids[0]?.[0] ?? 0;
  const ask = asks[0]?.[0] ?? 1;
  if (bid >= ask) return true;
  if (event.price < bid - PRICE_APART_MAX || event.price > ask + PRICE_APART_MAX) return true;
  return event.spread !== undefined && ask - bid > event.spread + SPREAD_WIDER_MAX;
}
