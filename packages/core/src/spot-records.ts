import type { Trade } from './records.ts';

/** A spot pair as its venue quotes it, of the last 24 hours. */
export interface SpotTicker {
  /** The base coin: in the venue's plain spelling from a connector, the primary venue's ticker after the engine. */
  readonly coin: string;
  readonly symbol: string;
  /** Currency of the prices: `USD`, `USDT`, `USDC`, `KRW`. */
  readonly quote: string;
  /** Price of the last trade. */
  readonly last: number;
  /** Absent while a side of the book is empty or not sent. */
  readonly bid?: number;
  readonly ask?: number;
  readonly volume24hCoins?: number;
  /** Over the last 24 hours, in percent; absent if the venue does not send it with the price. */
  readonly change24hPct?: number;
  /** The venue's own time of bid and ask, if sent; never that of the last trade. */
  readonly venueTs?: number;
}

/** Best bid and ask of a spot pair as its venue pushes them. */
export interface VenueQuote {
  /** The base coin: in the venue's spelling from a connector, the primary venue's ticker after the engine. */
  readonly coin: string;
  /** The venue's spelling on its sockets. */
  readonly symbol: string;
  /** Currency of the prices. */
  readonly quote: string;
  /** Absent while that side of the book is empty. */
  readonly bid?: number;
  readonly ask?: number;
  /** Price of the last trade, if the venue sends it. */
  readonly last?: number;
  /** The venue's own time of the quote, if sent. */
  readonly venueTs?: number;
}

/** The newest quote of a pair. */
export interface SpotQuote extends VenueQuote {
  /** Until when it is known to be the best bid and ask: when it was received, or when its feed last delivered. */
  readonly receivedAtMs: number;
}

/** The price of a pair a day ago, from a venue that sends it separately from the current price. */
export interface DayOpen {
  readonly coin: string;
  readonly symbol: string;
  /** Price 24 hours before it was fetched. */
  readonly open: number;
}

/** Totals of the visible book of a pair. */
export interface SpotBook {
  readonly coin: string;
  readonly symbol: string;
  readonly quote: string;
  readonly bid?: number;
  readonly ask?: number;
  /** Sums over all visible levels, in coins. */
  readonly bidSize: number;
  readonly askSize: number;
  readonly venueTs: number;
}

/** The price of one currency in another. */
export interface ExchangeRate {
  /** The base currency: `USD`. */
  readonly coin: string;
  /** The quote currency: `KRW`. */
  readonly quote: string;
  readonly rate: number;
  /** Time of the rate according to the provider. */
  readonly asOfMs: number;
}

/** A trade on a spot venue, which is not on the tape. */
export interface SpotTrade extends Trade {
  /** Number of trades of the coin missed before it, by the venue's sequence numbers; absent if none. */
  readonly missedBefore?: number;
}

export interface SpotTables {
  readonly spotTickers: SpotTicker;
  readonly spotQuotes: SpotQuote;
  readonly dayOpens: DayOpen;
  readonly spotBooks: SpotBook;
  readonly exchangeRates: ExchangeRate;
}
