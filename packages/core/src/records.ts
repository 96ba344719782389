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
   * `BTC` where the venue writes XBT); from the engine on it is the primary venue's ticker, under which everything is
   * served.
   */
  readonly coin: string;
  /** Coins in one contract; absent where the venue counts coins. */
  readonly contractSize?: number;
  /** Currency of its prices: `USD`, `USDT` or `USDC`. */
  readonly quote?: string;
  /** The venue's spelling on its sockets, where it differs. */
  readonly streamSymbol?: string;
  /** Decimals of a size, where somebody needs them. */
  readonly sizeDecimals?: number;
  /** Step of its prices, where the list includes it. */
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
  /** At the mark, in the currency that the contract is quoted in; absent while the mark is not known. */
  readonly value?: number;
  /** The venue's own figure in dollars, where it reports one. */
  readonly usd?: number;
}

/** The rate that will be paid next, as the venue quotes it. */
export interface Funding {
  readonly coin: string;
  readonly symbol: string;
  /** Decimal fraction per `periodHours`. */
  readonly rate: number;
  readonly periodHours: number;
  /** When it will be paid; absent where the venue does not say. */
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
  readonly volume24hCoins?: number;
  readonly volume24hUsd?: number;
  readonly prevDayPrice?: number;
}

/** How often a contract pays funding, from a venue that says so apart from the rate. */
export interface FundingPeriod {
  readonly coin: string;
  readonly symbol: string;
  readonly periodHours: number;
  /** A time at which it pays, whole periods away from the others; absent where the rate comes with its time. */
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

/** How often a ratio is asked for while somebody wants it: several times in the period that it describes. */
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
  /** `global`: everybody; `top`: the venue's largest traders. */
  readonly view: 'global' | 'top';
  /** What is counted: accounts, or the size of their positions. */
  readonly basis: 'accounts' | 'positions';
  readonly longFraction: number;
  readonly longShortRatio: number;
  /** End of the period that it describes. */
  readonly asOfMs: number;
}

/** Call or put. */
export type OptionType = 'C' | 'P';

/** An option as its venue quotes it. */
export interface OptionQuote {
  /** What it is an option on. */
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
  /** 0 where there is none, like the next two. */
  readonly volume24hCoins: number;
  /** Implied volatility of the mark price in percent. */
  readonly markIvPct: number;
  /** As quoted: dollars for one coin's worth if linear, otherwise coins. */
  readonly markPrice: number;
  /** Forward price of the expiry in dollars. */
  readonly forward: number;
}

/** The options that one answer covers: those that settle in the coin itself, or in USDC whatever the coin. */
export const optionBooks = ['btc', 'eth', 'usdc'] as const;
export type OptionBook = (typeof optionBooks)[number];

/** One table for each book, since each is fetched, and can fail, on its own. */
export type OptionTables = { readonly [Name in `${OptionBook}Options`]: OptionQuote };

/** What an aggregator says was liquidated of a coin on a venue in the 24 hours before. */
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
  readonly fundingPeriods: FundingPeriod;
  readonly indexPrices: IndexPrice;
  readonly positioning: Positioning;
  readonly liquidationTotals: LiquidationTotals;
}

export type TableName = keyof Tables;

/**
 * The content of one answer of a resource: whole tables, each replacing the previous one. A malformed row is left out
 * and named in `refused`, one sentence each, so that it does not affect the others.
 */
export type ParsedTables = { readonly [Name in TableName]?: readonly Tables[Name][] } & {
  readonly refused?: readonly string[];
  /** Tables with mostly malformed rows: only the others are here. */
  readonly unread?: readonly TableName[];
  /** What the source itself says about its figures, such as a footnote: one sentence each, for its health. */
  readonly notes?: readonly string[];
};

/** A trade as the venue reported it, before it is put on the tape. */
export interface VenueTrade {
  readonly coin: string;
  readonly side: Side;
  readonly price: number;
  readonly size: number;
  /** The venue's time. */
  readonly venueTs: number;
  /** Neither unique alone nor a sequence: identity is (coin, venue time, tid). */
  readonly tid: number;
  /** Who took, when the venue says so: fills of one taker order share it. */
  readonly taker?: string;
}

/** A position that its venue closed by force, as the venue reported it. */
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
  /** The venue's own, where it gives one. */
  readonly id?: string;
}

/** A position that was closed by force, as it is served. */
export interface Liquidation {
  readonly coin: string;
  readonly venue: string;
  /** For one reported by the venue: its contract, and its id where there is one. */
  readonly symbol?: string;
  readonly id?: string;
  /** Of the forced order: `sell` when a long was liquidated. */
  readonly side: Side;
  /** In the currency that the contract is quoted in. */
  readonly price: number;
  readonly size: number;
  readonly notionalUsd: number;
  /** That currency, where it is not the dollar: `notionalUsd` is converted at the rate when it was received. */
  readonly quote?: string;
  /** Its rate was not known then: `notionalUsd` is not in dollars. */
  readonly isUnconverted?: true;
  readonly ts: number;
  /** Inferred from the tape by us, not reported by the venue. */
  readonly inferred: boolean;
  /** Received long after it happened, because it was missed then: it counts, but is not news. */
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
  /** Tape time: never less than that of the trade before. */
  readonly ts: number;
  /** The venue's time, present only where it is older than the tape's. */
  readonly venueTs?: number;
  readonly tid: number;
  /** Belongs to the same taker order as the trade before it on the coin's tape. */
  readonly sameOrder: boolean;
  /** Time at which the service received it, minus `ts`; absent where that is not known. */
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
  /** Of the first fill. */
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
