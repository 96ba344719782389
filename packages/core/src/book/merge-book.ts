import { BOOK_LEVELS_MAX, type Book, type BookLevel, type BookSides, type VenueBook } from './book.ts';

/** More levels of a side are not remembered between two deep views. */
const KNOWN_LEVELS_MAX = 200;

/** What is known of a book: all levels that were told since the last deep view, deeper than is served. */
export interface KnownBook extends Pick<Book, 'bids' | 'asks' | 'ts' | 'deepTs'> {
  /** The newest view of the best levels alone. */
  readonly top?: VenueBook;
}

/**
 * The book after another view of it. A deep view replaces everything; one of the best levels is right about every price
 * that it reaches, and what lies below stays. So a level that the price has passed is gone, and the sides do not cross.
 */
export function mergeBook(known: KnownBook | undefined, view: VenueBook): KnownBook {
  const { bids, asks, venueTs } = view;
  const { deepTs, top } = known ?? {};
  if (view.depth < BOOK_LEVELS_MAX) {
    // Without a deep view nothing would ever say that a level below is gone.
    if (deepTs === undefined) return { bids, asks, ts: venueTs, top: view };
    return { ...overlay(known as KnownBook, view), ts: venueTs, deepTs, top: view };
  }
  if (!top || top.venueTs <= venueTs) return { bids, asks, ts: venueTs, deepTs: venueTs };
  return { ...overlay(view, top), ts: top.venueTs, deepTs: venueTs, top };
}

/** As much of a book as is served. */
export function bestLevels({ bids, asks }: BookSides): BookSides {
  return { bids: bids.slice(0, BOOK_LEVELS_MAX), asks: asks.slice(0, BOOK_LEVELS_MAX) };
}

function overlay(under: BookSides, { bids, asks, depth }: VenueBook): BookSides {
  return {
    bids: overlaySide(under.bids, { top: bids, depth, isBelow: (price, than) => price < than }),
    asks: overlaySide(under.asks, { top: asks, depth, isBelow: (price, than) => price > than }),
  };
}

interface Overlay {
  readonly top: readonly BookLevel[];
  readonly depth: number;
  readonly isBelow: (price: number, than: number) => boolean;
}

function overlaySide(under: readonly BookLevel[], { top, depth, isBelow }: Overlay): readonly BookLevel[] {
  const last = top.at(-1);
  // A side that is shorter than it could be is told whole.
  if (!last || top.length < depth) return top;
  return [...top, ...under.filter(([price]) => isBelow(price, last[0]))].slice(0, KNOWN_LEVELS_MAX);
}
