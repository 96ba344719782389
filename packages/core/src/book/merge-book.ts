import { BOOK_LEVELS_MAX, type Book, type BookLevel, type VenueBook } from './book.ts';

export interface BookViews {
  /** The newest deep view, sent rarely. */
  readonly full?: VenueBook | undefined;
  /** The newest view of the best levels, sent often. */
  readonly top?: VenueBook | undefined;
}

/**
 * One book from both views. The newer one wins for every price that it covers; below the newest top the full view
 * stays. So levels that the price has passed are removed, and the sides do not cross.
 */
export function mergeBook({
  full,
  top,
}: BookViews): Pick<Book, 'bids' | 'asks' | 'ts' | 'deepTs'> | undefined {
  if (full && (!top || top.venueTs < full.venueTs)) return { ...best(full), deepTs: full.venueTs };
  if (!top) return undefined;
  if (!full) return best(top);
  return {
    bids: mergeSide(top.bids, full.bids, { depth: top.depth, isBelow: (price, than) => price < than }),
    asks: mergeSide(top.asks, full.asks, { depth: top.depth, isBelow: (price, than) => price > than }),
    ts: top.venueTs,
    deepTs: full.venueTs,
  };
}

function best({ bids, asks, venueTs }: VenueBook): Pick<Book, 'bids' | 'asks' | 'ts'> {
  return { bids: bids.slice(0, BOOK_LEVELS_MAX), asks: asks.slice(0, BOOK_LEVELS_MAX), ts: venueTs };
}

function mergeSide(
  top: readonly BookLevel[],
  full: readonly BookLevel[],
  { depth, isBelow }: { readonly depth: number; readonly isBelow: (price: number, than: number) => boolean },
): readonly BookLevel[] {
  const last = top.at(-1);
  // A side that is shorter than the depth is complete.
  if (!last || top.length < depth) return top.slice(0, BOOK_LEVELS_MAX);
  return [...top, ...full.filter(([price]) => isBelow(price, last[0]))].slice(0, BOOK_LEVELS_MAX);
}
