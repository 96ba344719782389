/** A parsed trade, of any venue. */
export interface ReadTrade {
  /** Absent if the venue sends none. */
  readonly id?: string;
  readonly ts: number;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  /** Fills that are joined in it. */
  readonly count?: number;
}

/** How a client follows one market of a venue and requests its past, written from the venue's documents alone. */
export interface TestedFeed<Frame = unknown, Body = unknown> {
  readonly venue: string;
  readonly path: string;
  readonly symbol: string;
  /** The market that our connector reads in `market-trades.test.ts`; default: `symbol`. */
  readonly connectorMarket?: { readonly symbol: string; readonly restSymbol?: string };
  readonly subscribe: object;
  /** Frames before the first trade: an acknowledgement, and past trades. */
  readonly opening: readonly Readonly<Record<string, unknown>>[];
  /** The trades of a frame in order of time; none for other frames. */
  readonly read: (frame: Frame) => readonly ReadTrade[];
  /** The path of a page that ends with a trade. */
  readonly history: (newest: ReadTrade) => string;
  /** Oldest first. */
  readonly readHistory: (body: Body) => readonly ReadTrade[];
  /** A frame with a trade as the facts of the venue have it: ours has the same names and types. */
  readonly golden: string;
  /** Whether a frame is of that kind. */
  readonly isGolden: (frame: Frame) => boolean;
  /** Whether ids are consecutive. */
  readonly isCounted: boolean;
}

export function testedFeed<Frame, Body>(feed: TestedFeed<Frame, Body>): TestedFeed {
  return {
    ...feed,
    read: (frame) => feed.read(frame as Frame),
    readHistory: (body) => feed.readHistory(body as Body),
    isGolden: (frame) => feed.isGolden(frame as Frame),
  };
}

export function sideOf(isBuy: boolean): 'buy' | 'sell' {
  return isBuy ? 'buy' : 'sell';
}
