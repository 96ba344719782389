import type { OnchainTables } from './onchain-records.ts';
import type { PredictionTables } from './prediction-records.ts';
import type { SpotTables } from './spot-records.ts';

/** The taker's side. */
export type Side = 'buy' | 'sell';

/** A perpetual contract, or a spot pair, as its venue lists it. */
export interface Instrument {
  /** The venue's own spelling. */
  readonly symbol: string;
  /**
   * The underlying of the contract. A connector returns the venue's own base coin in plain spelling (`1000PEPE`, and
   * `BTC` where the venue writes XBT); after the engine it is the primary venue's ticker, which is served everywhere.
   */
  readonly coin: string;
  /** Coins in one contract; absent if the venue counts coins. */
  readonly contractSize?: number;
  /** Currency of its prices: `USD`, `USDT` or `USDC`. */
  readonly quote?: string;
  /** The venue's spelling on its sockets, if it differs. */
  readonly streamSymbol?: string;
  /** Decimals of a size, if needed. */
  readonly sizeDecimals?: number;
  /** Price step, if the list includes it. */
  readonly tick?: number;
}

/** Open interest of one contract, one-sided. */
export interface OpenInterest {
  readonly coin: string;
  readonly symbol: string;
  /** The venue's own count. */
  readonly contracts: number;
  /** In units of the coin. */
  readonly coins: number;
  /** At the mark price, in the quote currency of the contract; absent while the mark is unknown. */
  readonly value?: number;
  /** The venue's own figure in dollars, if it reports one. */
  readonly usd?: number;
}

/** The rate that will be paid next, as the venue quotes it. */
export interface Funding {
  readonly coin: string;
  readonly symbol: string;
  /** Decimal fraction per `periodHours`. */
  readonly rate: number;
  readonly periodHours: number;
  /** When it will be paid; absent if the venue does not report it. */
  readonly nextFundingMs?: number;
}

/** Reference prices of one contract. */
export interface Price {
  readonly coin: string;
  readonly symbol: string;
  readonly mark: number;
  readonly index?: number;
  /** Absent while a side of the book is empty. */
  readonly mid?: number;
  readonly prevDayPrice?: number;
}

/** What was traded in one contract in the last 24 hours, as its venue reports it. */
export interface Volume {
  readonly coin: string;
  readonly symbol: string;
  /** In the quote currency of the contract. */
  readonly value: number;
  /** `value` is coins times the last price: the venue reports no amount in the quote currency. */
  readonly isEstimate?: true;
  /** In units of the coin; absent if the venue reports the amount only. */
  readonly coins?: number;
}

/** Funding period of a contract, from a venue that sends it separately from the rate. */
export interface FundingPeriod {
  readonly coin: string;
  readonly symbol: string;
  readonly periodHours: number;
  /** One of its payment times; the others are whole periods away. Absent if the rate comes with its time. */
  readonly paysAtMs?: number;
}

/** The index of one contract, from a venue that sends it separately from the mark. */
export interface IndexPrice {
  readonly coin: string;
  readonly symbol: string;
  readonly index: number;
}

export const positioningPeriods = ['15m', '1h', '4h'] as const;
export type PositioningPeriod = (typeof positioningPeriods)[number];

/** How often a ratio is polled while it is requested: several times per period. */
export const positioningEveryMs: Readonly<Record<PositioningPeriod, number>> = {
  '15m': 150_000,
  '1h': 300_000,
  '4h': 600_000,
};

/** Ratio and contract: `BTCUSDT 1h top`. */
export function positioningKey({
  symbol,
  period,
  view,
}: Pick<Positioning, 'symbol' | 'period' | 'view'>): string {
  return `${symbol} ${period} ${view}`;
}

/** How the holders of one contract are positioned. */
export interface Positioning {
  readonly coin: string;
  readonly symbol: string;
  readonly period: PositioningPeriod;
  /** `global`: all accounts; `top`: the venue's largest traders. */
  readonly view: 'global' | 'top';
  /** What is counted: accounts, or the size of their positions. */
  readonly basis: 'accounts' | 'positions';
  readonly longFraction: number;
  readonly longShortRatio: number;
  /** End of its period. */
  readonly asOfMs: number;
}

/** A book whose prices are rounded to a number of significant figures, so that its levels reach further. */
export interface RoundedBook {
  readonly coin: string;
  readonly symbol: string;
  readonly figures: number;
  /** The venue's time. */
  readonly venueTs: number;
  /** The most levels that the venue sends of a side: a side with as many may have more. */
  readonly levelsMax: number;
  /** Pairs of a price, rounded away from the other side, and its size in coins; best first. */
  readonly bids: readonly (readonly [price: number, size: number])[];
  readonly asks: readonly (readonly [price: number, size: number])[];
}

/** Call or put. */
export type OptionType = 'C' | 'P';

/** An option as its venue quotes it. */
export interface OptionQuote {
  /** The underlying. */
  readonly coin: string;
  readonly symbol: string;
  readonly type: OptionType;
  /** In dollars. */
  readonly strike: number;
  readonly expiryMs: number;
  /** Quoted and settled in dollars; otherwise in the coin itself. */
  readonly isLinear: boolean;
  /** In coins. */
  readonly openInterest: number;
  /** 0 if there is none, like the next two. */
  readonly volume24hCoins: number;
  /** Implied volatility of the mark price in percent. */
  readonly markIvPct: number;
  /** As quoted: dollars per coin if linear, otherwise coins. */
  readonly markPrice: number;
  /** Forward price of the expiry in dollars. */
  readonly forward: number;
}

/** A day of a volatility index, which begins at midnight UTC; the newest is in progress. */
export interface VolatilityDay {
  readonly ts: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** The venue's own index of what a coin's options imply for the next 30 days, per year as a fraction. */
export interface VolatilityIndex {
  readonly coin: string;
  /** Oldest first. */
  readonly days: readonly VolatilityDay[];
}

/** The options in one answer: those that settle in the coin itself, or in USDC for all coins. */
export const optionBooks = ['btc', 'eth', 'usdc'] as const;
export type OptionBook = (typeof optionBooks)[number];

/** A trade of an option as its venue reported it. */
export interface OptionTrade
  extends Pick<OptionQuote, 'coin' | 'symbol' | 'type' | 'strike' | 'expiryMs' | 'isLinear'> {
  /** Unique within the venue. */
  readonly id: string;
  readonly ts: number;
  /** Of the taker. */
  readonly side: Side;
  /** As quoted: dollars per coin if linear, otherwise coins. */
  readonly price: number;
  /** In coins. */
  readonly size: number;
  /** Implied volatility of the price in percent; 0 if it has none. */
  readonly ivPct: number;
  /** The mark price at the time of the trade, as quoted. */
  readonly markPrice: number;
  /** The index at the time of the trade, in dollars. */
  readonly index: number;
  /** Id of the block trade that it is a leg of, and how many legs that has. */
  readonly block?: string;
  readonly blockLegs?: number;
  /** The combination that it was traded in. */
  readonly combo?: string;
  /** Who was liquidated with it: maker, taker or both. */
  readonly liquidated?: 'maker' | 'taker' | 'both';
}

/** One table per book, because each can fail on its own. */
export type OptionTables = { readonly [Name in `${OptionBook}Options`]: OptionQuote };

/** An aggregator's total of a coin's liquidations on a venue in the last 24 hours. */
export interface LiquidationTotals {
  readonly coin: string;
  readonly venue: string;
  readonly longUsd: number;
  readonly shortUsd: number;
  readonly asOfMs: number;
}

/** The tables that a resource can fill, by name. */
export interface Tables extends OnchainTables, OptionTables, PredictionTables, SpotTables {
  readonly instruments: Instrument;
  readonly openInterest: OpenInterest;
  readonly funding: Funding;
  readonly prices: Price;
  readonly volumes: Volume;
  readonly fundingPeriods: FundingPeriod;
  readonly indexPrices: IndexPrice;
  readonly volatilityIndex: VolatilityIndex;
  readonly positioning: Positioning;
  readonly liquidationTotals: LiquidationTotals;
  readonly roundedBooks: RoundedBook;
}

export type TableName = keyof Tables;

/**
 * The content of one answer of a resource: complete tables, each replacing the previous one. A malformed row is left
 * out and named in `refused`, one sentence each, so that it does not affect the others.
 */
export type ParsedTables = { readonly [Name in TableName]?: readonly Tables[Name][] } & {
  readonly refused?: readonly string[];
  /** Tables with mostly malformed rows, which are omitted. */
  readonly unread?: readonly TableName[];
  /** Notes of the source about its figures, such as a footnote: one sentence each, for its health. */
  readonly notes?: readonly string[];
};

/** A trade as the venue reported it, before it is added to the tape. */
export interface VenueTrade {
  readonly coin: string;
  readonly side: Side;
  readonly price: number;
  readonly size: number;
  /** The venue's time. */
  readonly venueTs: number;
  /** Neither unique alone nor a sequence: identity is (coin, venue time, tid). */
  readonly tid: number;
  /** The taker, if the venue reports it: fills of one taker order share it. */
  readonly taker?: string | undefined;
}

/** A forced liquidation as the venue reported it. */
export interface VenueLiquidation {
  readonly coin: string;
  readonly symbol: string;
  /** Of the forced order: `sell` when a long was liquidated. */
  readonly side: Side;
  readonly price: number;
  /** In coins. */
  readonly size: number;
  /** The venue's time. */
  readonly venueTs: number;
  /** The venue's id, if any. */
  readonly id?: string;
}

/** A forced liquidation as it is served. */
export interface Liquidation {
  readonly coin: string;
  readonly venue: string;
  /** If reported by the venue: its contract, and its id if any. */
  readonly symbol?: string;
  readonly id?: string;
  /** Of the forced order: `sell` when a long was liquidated. */
  readonly side: Side;
  /** In the quote currency of the contract. */
  readonly price: number;
  readonly size: number;
  readonly notionalUsd: number;
  /** The quote currency, if not the dollar: `notionalUsd` is converted at the rate when it was received. */
  readonly quote?: string;
  /** The rate was unknown then: `notionalUsd` is not in dollars. */
  readonly isUnconverted?: true;
  readonly ts: number;
  /** Inferred from the tape, not reported by the venue. */
  readonly inferred: boolean;
  /** Received long after it happened, because it was missed: it counts, but is not live. */
  readonly isLate?: true;
}

/** An interval with a connected liquidation feed of a venue: half open, in ms. */
export interface ConnectedSpan {
  readonly venue: string;
  readonly from: number;
  readonly to: number;
}

/** A trade on the tape. Its price and size print exactly the venue's decimals. */
export interface Trade {
  readonly coin: string;
  readonly venue: string;
  readonly side: Side;
  readonly price: number;
  readonly size: number;
  readonly notionalUsd: number;
  /** Tape time: never less than the previous trade's. */
  readonly ts: number;
  /** The venue's time, present only if it is earlier than the tape time. */
  readonly venueTs?: number;
  readonly tid: number;
  /** Belongs to the same taker order as the previous trade on the coin's tape. */
  readonly sameOrder: boolean;
  /** Receive time minus `ts`; absent if unknown. */
  readonly recvLagMs?: number;
}

/** All fills of one taker order. */
export interface Print {
  readonly coin: string;
  readonly venue: string;
  readonly side: Side;
  /** Volume-weighted. */
  readonly price: number;
  readonly size: number;
  readonly notionalUsd: number;
  readonly ts: number;
  /** Id of the first fill. */
  readonly tid: number;
  readonly fills: number;
}

/** A funding rate that moved from one poll to the next. */
export interface FundingChange {
  readonly coin: string;
  readonly venue: string;
  readonly rate: number;
  readonly periodHours: number;
  readonly prevRate: number;
  readonly delta: number;
  /** Time of the poll. */
  readonly ts: number;
}
