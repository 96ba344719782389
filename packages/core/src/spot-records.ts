import type { Trade } from './records.ts';

/** A spot pair as its venue quotes it, of the last 24 hours. */
export interface SpotTicker {
  /** The base coin: as the venue spells it in plain letters from a connector, the primary venue's ticker from the engine on. */
  readonly coin: string;
  readonly symbol: string;
  /** Currency of the prices: `USD`, `USDT`, `USDC`, `KRW`. */
  readonly quote: string;
  /** Price of the last trade. */
  readonly last: number;
  /** Absent while a side of the book is empty or not told. */
  readonly bid?: number;
  readonly ask?: number;
  readonly volume24hCoins: number;
  /** Over the last 24 hours, in percent; absent where the venue does not tell it with the price. */
  readonly change24hPct?: number;
  /** The venue's own time of these prices, where it tells one: that of the last trade where it tells no other. */
  readonly venueTs?: number;
}

/** What a pair cost a day ago, from a venue that tells it apart from the price of now. */
export interface DayOpen {
  readonly coin: string;
  readonly symbol: string;
  /** Price 24 hours before it was fetched. */
  readonly open: number;
}

/** The whole visible book of a pair, summed up. */
export interface SpotBook {
  readonly coin: string;
  readonly symbol: string;
  readonly quote: string;
  readonly bid?: number;
  readonly ask?: number;
  /** Sums over all levels that the venue shows, in coins. */
  readonly bidSize: number;
  readonly askSize: number;
  readonly venueTs: number;
}

/** What a unit of one currency costs in another. */
export interface ExchangeRate {
  /** What is priced: `USD`. */
  readonly coin: string;
  /** What it is priced in: `KRW`. */
  readonly quote: string;
  readonly rate: number;
  /** Of when the provider says it is. */
  readonly asOfMs: number;
}

/** A trade on a spot venue, which is on nobody's tape. */
export interface SpotTrade extends Trade {
  /** How many trades of the coin before it were not heard, by the venue's own count; absent when none. */
  readonly missedBefore?: number;
}

export interface SpotTables {
  readonly spotTickers: SpotTicker;
  readonly dayOpens: DayOpen;
  readonly spotBooks: SpotBook;
  readonly exchangeRates: ExchangeRate;
}
