import type { OptionBook, OptionTrade } from '@crosstape/core';
import type { VenueRequest } from './venue.ts';

/** Trades of one book with `fromMs <= ts <= toMs`. */
export interface OptionTradeSpan {
  readonly book: OptionBook;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What one answer has of the span. */
export interface OptionTradePage {
  /** Oldest first. */
  readonly trades: readonly OptionTrade[];
  /** Where the next page begins, later than the span does; absent: there is none. */
  readonly nextMs?: number;
  /** Why rows of the answer were left out. */
  readonly refused?: readonly string[];
}

/** The trades of a venue's options, requested from a time on. */
export interface VenueOptionTrades {
  /** Name of the source in `/sources`. */
  readonly name: string;
  /** Cost of one request in the venue's own weight units. */
  readonly weight: number;
  /** How often the trades of each book are requested. */
  readonly everyMs: number;
  /** How far back the venue answers. */
  readonly reachMs: number;
  readonly books: readonly OptionBook[];
  request(span: OptionTradeSpan): VenueRequest;
  /** Throws as a resource does. */
  parse(body: unknown, span: OptionTradeSpan): OptionTradePage;
}
