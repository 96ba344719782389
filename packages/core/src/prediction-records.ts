/** One of the answers to a question, which can be bought. */
export interface PredictionOutcome {
  readonly name: string;
  /** Under which its book is found: a number too large for one, so a text. */
  readonly tokenId: string;
  /** From 0 to 1, as the venue sees it. */
  readonly price: number;
}

/** A question with two answers that its venue takes orders on. */
export interface PredictionMarket {
  /** What the question is about; empty when that is not one coin. */
  readonly coin: string;
  /** The venue's id of the question. */
  readonly symbol: string;
  /** What it is a part of: an event has one question, or many of a kind. */
  readonly eventId: string;
  readonly eventSlug: string;
  readonly title: string;
  readonly question: string;
  readonly outcomes: readonly [PredictionOutcome, PredictionOutcome];
  /** 0 where the venue sends none. */
  readonly liquidityUsd: number;
  readonly volume24hUsd: number;
  /** When it is to be decided; orders may be taken longer. */
  readonly endMs: number;
  /** Between best bid and ask of either outcome, according to the venue; absent where it sends none. */
  readonly spread?: number;
}

/** Price and size of one level. */
export type PredictionLevel = readonly [price: number, size: number];

/** The whole book of one outcome. */
export interface PredictionBook {
  /** Always empty: a book does not say what it is about. */
  readonly coin: string;
  /** Id of the outcome. */
  readonly symbol: string;
  /** False when the venue says that it has no such book. */
  readonly isListed: boolean;
  /** Best first. Prices from 0 to 1 in dollars, sizes in shares. */
  readonly bids: readonly PredictionLevel[];
  readonly asks: readonly PredictionLevel[];
  /** The venue's time of the book; ours where there is none. */
  readonly venueTs: number;
  readonly receivedAtMs: number;
}

export interface PredictionTables {
  readonly predictions: PredictionMarket;
  readonly predictionBooks: PredictionBook;
}
