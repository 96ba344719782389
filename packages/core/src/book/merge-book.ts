import { BOOK_LEVELS_MAX, type Book, type BookLevel, type VenueBook } from './book.ts';

export interface BookViews {
  /** The newest deep view, told seldom. */
  readonly full?: VenueBook | undefined;
  /** The newest view of the best levels, told often. */
  readonly top?: VenueBook | undefined;
}

/**
 * One book of both views. The newer of the two is right about every price that it reaches; what lies below the newest
 * top stays as the full view told it. So a level that the price has passed is gone, and the sides do not cross.
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
  // A side that is shorter than it could be is told whole.
  if (!last || top.length < depth) return top.slice(0, BOOK_LEVELS_MAX);
  return [...top, ...full.filter(([price]) => isBelow(price, last[0]))].slice(0, BOOK_LEVELS_MAX);
}
