import type {
  BookChange,
  ParsedTables,
  Instrument,
  MarketTrade,
  SourceTerms,
  TableName,
  Tables,
  VenueBook,
  VenueIdentity,
  VenueLiquidation,
  VenueQuote,
  VenueTrade,
} from '@crosstape/core';
import type { BookFeed, TradeFeed } from './market-feeds.ts';
import type { VenueCandles } from './venue-candles.ts';
import type { VenueOptionTrades } from './venue-option-trades.ts';
import type { VenueSamples } from './venue-samples.ts';

/** Thrown by a parser for a payload it cannot parse. The engine counts it and updates the source's health. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** Thrown by a parser for an error in an HTTP 200 body: `{"retCode":10006,…}`. */
export class Declined extends Error {
  override readonly name = 'Declined';
  /** What the source's health becomes. */
  readonly status: 'limited' | 'blocked' | 'down';

  constructor(status: 'limited' | 'blocked' | 'down', message: string) {
    super(message);
    this.status = status;
  }
}

export interface VenueRequest {
  readonly method: 'GET' | 'POST';
  /** Appended to the origin. */
  readonly path: string;
  /** Default: the venue's `rest` origin. Set where an operator names another address; `file://` reads a file. */
  readonly origin?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cost of this request, where it is less than the source's `weight`. */
  readonly weight?: number;
  /** Non-2xx statuses whose body is passed to the parser. */
  readonly acceptedStatuses?: readonly number[];
}

/** The venue's latest tables, in its own units, for parsers that need them. */
export type Known = { readonly [Name in TableName]?: readonly Tables[Name][] };

interface Source {
  readonly name: string;
  /** Poll at multiples of the cadence on the clock, so that several venues are polled at the same time. */
  readonly isAligned?: boolean;
  /** `always`: polled on its cadence; `demand`: only while it is requested. */
  readonly polled: 'always' | 'demand';
  readonly everyMs: number;
  /**
   * How old its newest value may be, counted from when the source made it, before it is stale. Default: three cadences.
   * A source behind an HTTP cache adds the time that the cache may hold an answer.
   */
  readonly freshMs?: number;
  /** Tables that its responses provide. */
  readonly gives: readonly TableName[];
  /** Tables the parser requires: the source is not polled before they exist. */
  readonly needs?: readonly TableName[];
  /** Tables the parser can use: waited for briefly at startup. */
  readonly prefers?: readonly TableName[];
  /**
   * For a source that is polled rarely: the minimum time between any two requests, also over a restart. After a failure it
   * is asked again within twice this time, then in twice as much, up to the cadence. Its last answer outlives a restart.
   */
  readonly retryMs?: number;
  /**
   * The same after the first and the second request, while there is nothing to serve in its place, where a quota makes
   * `retryMs` long. A third failure is followed by a whole cadence.
   */
  readonly firstRetryMs?: number;
  /** Cost of one request in the venue's own weight units. */
  readonly weight: number;
  /** Source name to report instead of the publisher's, if an operator configured another URL. */
  readonly label?: string;
}

/** A REST resource that covers all instruments. */
export interface Resource extends Source {
  readonly request: VenueRequest;
  /** Requested if `request` fails or its response cannot be parsed. */
  readonly fallback?: VenueRequest;
  /** Static notes about how it is requested, shown with the source's health. */
  readonly notes?: readonly string[];
  /** Advice for operators when it is `blocked` or `changed`, shown with the source's health. */
  readonly remedy?: string;
  /** Maximum pages to request. Default: all. */
  readonly pagesMax?: number;
  /** When a later page fails, those before it are served and reported as partial. Absent: the answer is dropped as a whole. */
  readonly isUsefulInPart?: boolean;
  /** What to pass to the parser. Default: parsed JSON. */
  readonly format?: 'text';
  /**
   * Throws `Malformed` or `Declined`. `receivedAtMs`, less the time that an HTTP cache held the answer, is for undated
   * values. An answer in pages says so with `more`; `path` is what was requested, where the answer does not say it.
   */
  parse(body: unknown, receivedAtMs: number, known: Known, path?: string): Page;
}

/** The tables of one response, and the request for the next page, if any. */
export type Page = ParsedTables & { readonly more?: VenueRequest };

/** A REST resource per key, usually a symbol. Keys are requested round robin, spread over the cadence. */
export interface Lookup extends Source {
  /** Requests a minute, where the venue counts these apart from the rest … */
  readonly perMinute?: number;
  /** … and the burst size. Default: a quarter. */
  readonly atOnce?: number;
  /**
   * Name of the resource that gives the same for all keys in one answer, where keys are symbols: here only those are asked
   * for that it has not given lately.
   */
  readonly fallbackFor?: string;
  /** Keys to request. `always`: the standing set plus `asked`; `demand`: those of `asked` that exist. */
  keys(known: Known, asked: readonly string[]): readonly string[];
  /** Keys whose answer is no longer valid, and since when: these come before all others. */
  outdated?(known: Known, nowMs: number): ReadonlyMap<string, number>;
  /** `nowMs` is for requests with a time parameter. */
  request(key: string, nowMs?: number): VenueRequest;
  /** The rows of this key, which replace those that it gave before. Throws as a resource does. */
  parse(body: unknown, receivedAtMs: number, known: Known, key: string): ParsedTables;
  /** How long the answer for a key is served, where readers check the time of each; default: three cadences. */
  readonly keepMs?: number;
  /** Whether the response means that the key does not exist. It is then reported and not polled again. */
  isAbsent?(parsed: ParsedTables): boolean;
}

/** A parsed frame. */
export type Frame =
  | {
      readonly kind: 'trades';
      readonly trades: readonly VenueTrade[];
      readonly isBackfill: boolean;
      /** Why rows of the frame were left out. */
      readonly refused?: readonly string[];
    }
  | {
      /** Of a `TradeFeed`. Oldest first, whatever the venue's order; never empty. */
      readonly kind: 'marketTrades';
      readonly trades: readonly MarketTrade[];
      /** They happened before the subscription: some may have been received before. */
      readonly isBackfill: boolean;
      /** Of a back-fill that is itself the answer to a subscription: what it confirms. */
      readonly topics?: readonly string[];
      /** Why rows of the frame were left out. */
      readonly refused?: readonly string[];
    }
  | {
      readonly kind: 'liquidations';
      readonly liquidations: readonly VenueLiquidation[];
      readonly isBackfill: boolean;
      /** Of a back-fill that is itself the answer to a subscription: what it confirms. */
      readonly topics?: readonly string[];
      /** Why rows of the frame were left out. */
      readonly refused?: readonly string[];
    }
  | { readonly kind: 'book'; readonly book: VenueBook }
  | {
      /** Of a `BookFeed`. */
      readonly kind: 'bookChange';
      readonly change: BookChange;
      /** Of a snapshot that is itself the answer to a subscription: what it confirms. */
      readonly topics?: readonly string[];
    }
  /** Of a `BookFeed`: a change is missing. The books begin again with snapshots, after another subscription. */
  | { readonly kind: 'bookGap'; readonly symbols: readonly string[]; readonly why: string }
  | {
      readonly kind: 'quotes';
      readonly quotes: readonly VenueQuote[];
      /** Why rows or fields of the frame were left out. */
      readonly refused?: readonly string[];
      /**
       * Whether the venue pushes every change of bid and ask: a quote then holds for as long as its connection delivers,
       * however quiet the pair is.
       */
      readonly isEveryChange: boolean;
    }
  | { readonly kind: 'heartbeat' }
  /** `topics` may include some that were confirmed before. */
  | { readonly kind: 'subscribed'; readonly topics: readonly string[] }
  | { readonly kind: 'ignored'; readonly why: string }
  | {
      readonly kind: 'refused';
      readonly why: string;
      /** The venue refused a request: no data are lost with the frame. */
      readonly isReply?: boolean;
    };

/** How to request what a feed missed while it was down. All keys together cover the whole feed. */
export interface Refill {
  readonly name: string;
  /** Cost of one request in the venue's own weight units. */
  readonly weight: number;
  /** Requests a minute, where the venue counts these apart from the rest. */
  readonly perMinute?: number;
  /** How far back to request. */
  readonly reachMs: number;
  keys(known: Known): readonly string[];
  request(key: string): VenueRequest;
  /** Throws as a resource does. */
  parse(body: unknown, receivedAtMs: number, known: Known, key: string): PastPage;
}

/** The history in one answer; `more` requests what lies before it. */
export type PastPage = Pick<Page, 'more' | 'refused'> & {
  /** A back-fill. */
  readonly frame: Extract<Frame, { readonly kind: 'liquidations' }>;
  /** The response is complete from this time on; 0 if it is the venue's whole history. */
  readonly sinceMs: number;
  /** Time of its newest row, including those of instruments that are not tracked; absent when it has none. */
  readonly newestMs?: number;
};

/** A contract or pair that can be subscribed to, under the primary venue's coin. */
export type Listed = Pick<Instrument, 'coin' | 'symbol' | 'quote' | 'streamSymbol'>;

/** A socket subscription to something that a venue pushes. */
export interface Feed {
  readonly name: string;
  /** Appended to the venue's `ws` origin. */
  readonly path: string;
  /** Maximum frame size, if the engine's default is too small. */
  readonly frameBytesMax?: number;
  /** Sent with the handshake. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Independent sockets that carry the same topics, so that one reconnect makes no gap. */
  readonly sockets: number;
  /** Where the venue allows no more on one connection, topics are spread over several. */
  readonly topicsPerSocket?: number;
  /**
   * Its figures are summed: it counts as connected only while every topic is, so the venue must have confirmed each of
   * them.
   */
  readonly isWhole?: boolean;
  /** Of a feed that is subscribed to only while a client follows a coin: how long it is kept afterwards, and the maximum number of topics. */
  readonly demand?: { readonly keepMs: number; readonly topicsMax: number };
  /** The table that lists what can be subscribed to, where that is not `instruments`. */
  readonly listedBy?: 'spotTickers';
  /** What to subscribe to, given what the venue lists and, on demand, which coins are followed; one text per topic. */
  topics(listed: readonly Listed[], followed?: readonly string[]): readonly string[];
  /** The most topics that one frame may name. Absent: one. */
  readonly topicsPerFrame?: number;
  /**
   * The venue refuses a whole frame because of one topic that it does not have. Topics that it does not confirm are sent
   * again one by one. Always so for a feed that is whole.
   */
  readonly refusesWholeFrames?: boolean;
  /** The frame that subscribes to these topics. */
  subscribe(topics: readonly string[]): string;
  unsubscribe(topics: readonly string[]): string;
  /**
   * Sent every so often to keep the connection open; the answer proves that the peer lives. Without a frame it is a ping
   * of the WebSocket protocol.
   */
  readonly ping: { readonly everyMs: number; readonly frame?: string };
  /**
   * Silence longer than this is a stall whatever the feed's usual rate; a busy feed is called stalled sooner. Absent for
   * a feed that may have nothing to say for hours: there only pings prove that the peer lives.
   */
  readonly silentMaxMs?: number;
  /** Data arrives in bursts: detect stalls by `silentMaxMs` only, not by the usual rate. */
  readonly isBursty?: boolean;
  /** Absent where no source has the data afterwards, or not the same. */
  readonly refill?: Refill;
  /** A fresh parser for each connection, so that one may remember what it has seen. Never throws. */
  open(known: () => Known): (frame: string) => Frame;
}

export type { BookFeed, TradeEdges, TradeFeed, TradeGap, TradePage, TradeRefill } from './market-feeds.ts';

/** The venue's published limits, which the engine keeps. */
export interface Limits {
  readonly weightPerMinute: number;
  /** Burst weight, if less than a quarter of `weightPerMinute`. */
  readonly weightAtOnce?: number;
  readonly requestsInFlight: number;
  readonly connectionsPerMinute: number;
  /** Subscriptions on all its sockets together; pings are sent beside them. */
  readonly messagesPerMinute: number;
  /** How many of them at once, where that is not a quarter. */
  readonly messagesAtOnce?: number;
  /** Where the venue uses HTTP 403 for too many requests: nothing is requested for this long after it. */
  readonly forbiddenMs?: number;
  /**
   * How many of its resources with a `firstRetryMs` are asked again within a minute when their very first request fails,
   * each once: what a quota leaves of an hour after one request for each. Default: none.
   */
  readonly firstRetries?: number;
}

/** A venue's protocol as a plain value. One engine runs all connectors. */
export interface Connector {
  /** `ws` is empty where there are no feeds. */
  readonly origins: { readonly rest: string; readonly ws: string };
  /** Addresses that answer the same calls, tried in turn when `rest` does not. */
  readonly otherRest?: readonly string[];
  readonly limits: Limits;
  readonly resources: readonly Resource[];
  readonly lookups?: readonly Lookup[];
  readonly feeds: readonly Feed[];
  /** The trades of its markets, read apart from the other feeds and only of markets that are recorded. */
  readonly marketTrades?: TradeFeed;
  /** The order books of its markets; absent where none are served. */
  readonly marketBooks?: BookFeed;
  /** The venue's candles: used for history before recording began and for the audit. */
  readonly candles?: VenueCandles;
  /** Historical open interest and funding. */
  readonly histories?: readonly VenueSamples[];
  /** The trades of its options. */
  readonly optionTrades?: VenueOptionTrades;
}

/** A source that the engine fetches from: a venue, or a site that publishes figures. */
export interface Publisher {
  readonly id: string;
  readonly name: string;
  /** Of one that is a part of a venue under another address: the id of that venue. */
  readonly venue?: string;
  /** Terms of use. Absent for a part of a venue: the venue's terms apply. */
  readonly terms?: Omit<SourceTerms, 'id' | 'name'>;
  /** Absent for venues that are listed but not connected. */
  readonly connector?: Connector;
}

/** Facts about a venue's perpetuals that are not on the wire. */
export interface PerpConvention {
  /** Funding rates are scaled to this many hours. */
  readonly fundingPeriodHours: 1 | 8;
  /** The venue is taken to report open interest in USD only. */
  readonly isOiUsdOnly: boolean;
  /** Coins returned if a request names none. Default: all listed coins. */
  readonly coinsByDefault?: readonly string[];
}

export interface Venue extends VenueIdentity, Publisher {
  readonly perp?: PerpConvention;
}

/** A venue of perpetuals. */
export interface PerpVenue extends Venue {
  readonly perp: PerpConvention;
}

/** A venue's spot prices: with an address, limits and health of its own, separate from the venue's contracts. */
export interface SpotVenue extends Publisher {
  readonly kind: 'spot';
  /** Id of the venue. */
  readonly venue: string;
}
