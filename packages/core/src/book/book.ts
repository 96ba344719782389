/** Maximum levels per side that are served. */
export const BOOK_LEVELS_MAX = 20;

/** A price level: the price, its size in coins, and the number of orders; 0 if the venue does not report it. */
export type BookLevel = readonly [price: number, size: number, count: number];

/** Best first, unique prices, best bid below best ask. A side may be empty. */
export interface BookSides {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** The best levels of a book at one moment, as sent by the venue. */
export interface VenueBook extends BookSides {
  readonly coin: string;
  /** The venue's time. */
  readonly venueTs: number;
  /** Levels per side that the venue sends, if there are as many: a shorter side is complete. */
  readonly depth: number;
}

/** A book as it is served. */
export interface Book extends BookSides {
  readonly coin: string;
  readonly venue: string;
  /** The venue's time of the best levels. */
  readonly ts: number;
  /** The venue's time of the levels below; absent while only the best are known. */
  readonly deepTs?: number;
  /** For a book sent as changes: when the connection was last known to deliver. */
  readonly confirmedTs?: number;
  /** Present when the venue no longer sends it: the book is the last received one. */
  readonly stale?: true;
}
