import { Arrivals } from './arrivals.ts';
import { blockAt, blockFrom, blockTimeMs } from './blocks.ts';
import { type Book, levelsOf } from './book.ts';
import { BookSide } from './book-side.ts';
import type { Cascade } from './cascades.ts';
import { CoinMarket } from './coin-market.ts';
import { COINS, type Coin } from './coins.ts';
import { DayVolume, FILL_ORDERS, type Volume } from './day-volume.ts';
import { type FundingState, fundingAt, fundingPaid } from './funding.ts';
import { OpenInterest } from './open-interest.ts';
import { outlineOf } from './outline.ts';
import { everydayPace, type OtherPace, otherPace, RATE_MAX, realPace, type SimulatorSize } from './pace.ts';
import { REAL_COINS } from './real-coins.ts';
import type { Outline } from './tape.ts';
import { tickAt } from './tick.ts';
import { TradeColumns } from './trade-columns.ts';
import { BLOCK_TRADES_MAX, Trades } from './trades.ts';

/** The part of the premium that the mark price follows. */
const MARK_SHARE = 0.6;

export interface MarketOptions {
  /** An integer: the same seed gives the same market. */
  readonly seed: number;
  /** Multiplies the rate of orders. */
  readonly rate?: number;
  /** Default: `everyday`. */
  readonly size?: SimulatorSize;
  /** Names of the coins that are listed. Default: all. */
  readonly coins?: readonly string[] | undefined;
  /** Whether liquidations cascade; default: true. */
  readonly cascades?: boolean;
}

/** Prices of a moment, in dollars. */
export interface Quote {
  /** Time of the block that made it. */
  readonly ts: number;
  readonly index: number;
  readonly mark: number;
  readonly bid: number;
  readonly ask: number;
  readonly mid: number;
  /** Premium of the perpetual over the index, as a fraction. */
  readonly premium: number;
}

/**
 * A market that is a pure function of seed, coin and time: history and present are the same thing, and requests for the
 * same time get the same answer. Coins that are delisted, or unknown, throw.
 */
export interface Market {
  readonly seed: number;
  readonly size: SimulatorSize;
  /** Average rate of orders, relative to the everyday market at rate 1. */
  readonly rate: number;
  /** Rate of trades on the other venues. */
  readonly others: OtherPace;
  /** In the order of the primary venue's list. */
  readonly coins: readonly Coin[];
  /**
   * Overwrites the columns with the trades with `fromMs <= ts < toMs`, as far as they fit; returns the exclusive time
   * up to which all are included: `toMs`, or where to continue.
   */
  fill(coin: string, fromMs: number, toMs: number, columns: TradeColumns): number;
  /** The time of the first block after a time. */
  nextBlockMs(atMs: number): number;
  quote(coin: string, atMs: number): Quote;
  /** The book of the newest block. */
  book(coin: string, atMs: number, levels: number): Book;
  /** In coins, one-sided. */
  openInterest(coin: string, atMs: number): number;
  /** Funding of the hour in progress. */
  funding(coin: string, atMs: number): FundingState;
  /** Funding paid at a full hour. */
  fundingPaid(coin: string, hourMs: number): FundingState;
  /** Of the last 24 hours, as expected from the market's activity. */
  volume24h(coin: string, atMs: number): Volume;
  /** Trading with `fromMs <= ts < toMs`, for times whose trades are no longer served. */
  outline(coin: string, fromMs: number, toMs: number): Outline;
  /** The liquidation cascades that began in a stretch of time. */
  cascades(coin: string, fromMs: number, toMs: number): readonly Cascade[];
}

export function createMarket(options: MarketOptions): Market {
  const { seed, rate = 1, size = 'everyday', cascades: withCascades = true } = options;
  if (!Number.isSafeInteger(seed)) throw new RangeError(`a seed is a whole number, not ${seed}`);
  if (!(rate > 0 && rate <= RATE_MAX[size]))
    throw new RangeError(`a rate is above 0 and at most ${RATE_MAX[size]}, not ${rate}`);
  const coins = size === 'real' ? REAL_COINS : COINS;
  const pace = size === 'real' ? realPace(rate, seed, coins) : everydayPace(rate);
  const arrivals = new Arrivals(pace);
  const columns = new TradeColumns(BLOCK_TRADES_MAX);
  const known = new Map<string, Parts>();

  const partsOf = (name: string): Parts => {
    const before = known.get(name);
    if (before) return before;
    const coin = coins.find((one) => one.name === name);
    if (!coin) throw new RangeError(`no such coin: ${name}`);
    if (coin.isDelisted) throw new RangeError(`delisted, so without a market: ${name}`);
    const market = new CoinMarket(seed, coin, withCascades);
    const side = { salt: market.salt, dollar: market.dollar };
    const trades = new Trades({ seed, market, arrivals });
    const made: Parts = {
      market,
      trades,
      openInterest: new OpenInterest({ seed, market, trades, columns }),
      volume: new DayVolume(market, arrivals),
      asks: new BookSide({ ...side, isAsk: true }),
      bids: new BookSide({ ...side, isAsk: false }),
    };
    known.set(name, made);
    return made;
  };

  const quoteAt = ({ market }: Parts, atMs: number): Quote => {
    market.moveTo(blockAt(seed, atMs));
    const { block, index, premium, dollar } = market;
    const bid = market.bid / dollar;
    const ask = market.ask / dollar;
    const scaled = index * (1 + MARK_SHARE * premium) * dollar;
    const tick = tickAt(scaled, dollar);
    const mark = (Math.round(scaled / tick) * tick) / dollar;
    const mid = (market.bid + market.ask) / 2 / dollar;
    return { ts: blockTimeMs(seed, block), index, mark, bid, ask, mid, premium };
  };

  return {
    seed,
    size,
    rate: pace.mean,
    others: otherPace(rate, size, seed),
    coins: options.coins ? coins.filter(({ name }) => options.coins?.includes(name)) : coins,
    fill: (coin, fromMs, toMs, into) => partsOf(coin).trades.fill(fromMs, toMs, into),
    nextBlockMs: (atMs) => blockTimeMs(seed, blockAt(seed, atMs) + 1),
    quote: (coin, atMs) => quoteAt(partsOf(coin), atMs),
    book(coin, atMs, levels) {
      const { market, asks, bids } = partsOf(coin);
      market.moveTo(blockAt(seed, atMs));
      asks.open(market.ask, market.block, market.depthLots);
      bids.open(market.bid, market.block, market.depthLots);
      return {
        ts: blockTimeMs(seed, market.block),
        bids: levelsOf(bids, market, levels),
        asks: levelsOf(asks, market, levels),
      };
    },
    openInterest: (coin, atMs) => partsOf(coin).openInterest.at(atMs),
    funding: (coin, atMs) => fundingAt(partsOf(coin).market, atMs),
    fundingPaid: (coin, hourMs) => fundingPaid(partsOf(coin).market, hourMs),
    volume24h: (coin, atMs) => partsOf(coin).volume.at(atMs),
    outline(coin, fromMs, toMs) {
      const parts = partsOf(coin);
      const usdMean = parts.market.orderUsd * FILL_ORDERS;
      return outlineOf({
        salt: parts.market.salt,
        fromMs,
        toMs,
        first: 0,
        next: Math.round(parts.volume.between(fromMs, toMs).usd / usdMean),
        usdMean,
        quote: (atMs) => quoteAt(parts, atMs),
        sizeOf: (usd, { price }) => usd / price,
      });
    },
    cascades: (coin, fromMs, toMs) =>
      partsOf(coin).market.cascades.between(blockFrom(seed, fromMs), blockFrom(seed, toMs)),
  };
}

interface Parts {
  readonly market: CoinMarket;
  readonly trades: Trades;
  readonly openInterest: OpenInterest;
  readonly volume: DayVolume;
  /** For snapshots; the trades walk their own. */
  readonly asks: BookSide;
  readonly bids: BookSide;
}
