/** One of the answers to a question, which can be bought. */
export interface PredictionOutcome {
  readonly name: string;
  /** Id of its book: an integer too large for a number, so it is text. */
  readonly tokenId: string;
  /** From 0 to 1, as the venue sees it. */
  readonly price: number;
}

/** A question with two answers that its venue takes orders on. */
export interface PredictionMarket {
  /** The coin that the question is about; empty if it is not one coin. */
  readonly coin: string;
  /** The venue's id of the question. */
  readonly symbol: string;
  /** Its event, which has one question or several. */
  readonly eventId: string;
  readonly eventSlug: string;
  readonly title: string;
  readonly question: string;
  readonly outcomes: readonly [PredictionOutcome, PredictionOutcome];
  /** 0 where the venue sends none. */
  readonly liquidityUsd: number;
  readonly volume24hUsd: number;
  /** When it is to be resolved; orders may be taken longer. */
  readonly endMs: number;
  /** Between best bid and ask of either outcome, according to the venue; absent where it sends none. */
  readonly spread?: number;
}

/** Price and size of one level. */
export type PredictionLevel = readonly [price: number, size: number];

/** The whole book of one outcome. */
export interface PredictionBook {
  /** Always empty: a book does not name its coin. */
  readonly coin: string;
  /** Id of the outcome. */
  readonly symbol: string;
  /** False if the venue has no such book. */
  readonly isListed: boolean;
  /** Best first. Prices from 0 to 1 in dollars, sizes in shares. */
  readonly bids: readonly PredictionLevel[];
  readonly asks: readonly PredictionLevel[];
  /** The venue's time of the book; ours if there is none. */
  readonly venueTs: number;
  readonly receivedAtMs: number;
}

export interface PredictionTables {
  readonly predictions: PredictionMarket;
  readonly predictionBooks: PredictionBook;
}
