import type { Market, MarketTrade } from '@crosstape/core';
import type { Feed, VenueRequest } from './venue.ts';

/** Whether a venue's trade ids are consecutive. */
interface TradeIds {
  /**
   * Where the ids of a market have no gaps: the field that counts. Each trade has the number of the previous one plus
   * one, or plus its `count` where it has one. Absent: ids distinguish trades and nothing else, and what is missing is
   * known by socket time only.
   */
  readonly counted?: 'tid' | 'seq';
  /** The venue may begin again at a lower number by design: a much lower one starts a new count and is not late. */
  readonly mayRestart?: boolean;
}

/** The trades of many markets, one topic for each `Market.symbol`: recorded, counted, and refilled by REST. */
export interface TradeFeed extends Feed {
  readonly ids: TradeIds;
  /** The venue merges fills of one taker order at one price into one trade. */
  readonly isAggregated?: boolean;
  /** How fills of one taker order are joined: by `MarketTrade.order`, or by time and side because the venue gives no more. */
  readonly grouping: 'order' | 'time';
  /** Maximum earlier trades that the venue sends after a subscription, marked `isBackfill`. Default: 0. */
  readonly backfillMax?: number;
  /** Absent if the venue has no trade history. */
  readonly past?: TradeRefill;
}

/** The order books of markets, one topic for each `Market.symbol`, subscribed to on demand. */
export interface BookFeed extends Feed {
  /** The venue sends changes before orders are matched: bids may be at or above asks, and what overlaps does not count. */
  readonly mayCross?: boolean;
}

/** A gap between two known trades, exclusive. */
export interface TradeGap {
  readonly market: Pick<Market, 'symbol' | 'restSymbol'>;
  /** Venue times of the last trade before the gap and the first one after it, or the bounds of the time to look at. */
  readonly afterMs: number;
  readonly beforeMs: number;
  /** Their ids, where ids are counted by `tid`. */
  readonly afterTid?: number;
  readonly beforeTid?: number;
  /** Ids of the two known trades: an answer with both is whole in between. Absent for a time whose ends are no trades. */
  readonly edges?: TradeEdges;
}

export interface TradeEdges {
  readonly after: number;
  readonly before: number;
}

/** How missing trades of one market are requested. */
export interface TradeRefill {
  readonly name: string;
  /** Cost of one request in the venue's own weight units. */
  readonly weight: number;
  /** Requests a minute, where the venue counts these apart from the rest. */
  readonly perMinute?: number;
  /** How far back the venue answers; a gap that began earlier cannot be closed by this. */
  readonly reachMs: number;
  /** The most trades of one answer. */
  readonly rowsMax: number;
  /** The venue answers with its newest trades only, whatever the gap: request soon, and never page. */
  readonly isNewestOnly?: boolean;
  /** The first page. */
  request(gap: TradeGap): VenueRequest;
  /** Throws as a resource does. `path` is what was requested. */
  parse(body: unknown, gap: TradeGap, path: string): TradePage;
}

/** One answer of a refill. */
export interface TradePage {
  /** Those within the gap, oldest first; some may have been received otherwise. */
  readonly trades: readonly MarketTrade[];
  /** Why rows of the answer were left out. */
  readonly refused?: readonly string[];
  /** Whether the response contains the trade before the gap, and the one after it. */
  readonly hasEdge?: { readonly after: boolean; readonly before: boolean };
  /** The page ends within trades of one time, and the next one begins before it. */
  readonly isCutWithin?: boolean;
  /** The next page; absent when the gap is answered, or the venue has no more. */
  readonly more?: VenueRequest;
  /**
   * No trade between these times (half open) is missing in the answer; absent when it proves nothing. Nothing lies
   * between what one page covers and what the next one does.
   */
  readonly covers?: { readonly fromMs: number; readonly toMs: number };
}
