import { DAY_MS, hashText, HOUR_MS, MINUTE_MS, type Side } from '@crosstape/core';
import { liveContractsOf } from '../live-contracts.ts';
import { SLOT_MS } from './blocks.ts';
import { CASCADE_SLOTS_MAX } from './cascades.ts';
import { forcedOrdersOf } from './forced-orders.ts';
import { orderUsdOf } from './coin-market.ts';
import type { Coin } from './coins.ts';
import { FILL_ORDERS } from './day-volume.ts';
import type { Market } from './market.ts';
import { mix, type NoiseShape, SmoothNoise, uniformOf } from './noise.ts';
import { PerpTape } from './perp-tape.ts';
import type { Tape } from './tape.ts';

const LISTED_MIN = 5;
const BASIS: NoiseShape = { longestMs: 4 * HOUR_MS, octaves: 4, roughness: 0.6 };
const SHARE: NoiseShape = { longestMs: 48 * HOUR_MS, octaves: 3, roughness: 0.5 };
const CROWD: NoiseShape = { longestMs: 24 * HOUR_MS, octaves: 3, roughness: 0.6 };
/** Standard deviation of the logarithm of a venue's share. */
const SHARE_SIGMA = 0.12;
/** Standard deviation of an hourly rate between venues. */
const FUNDING_SIGMA = 4e-6;
/** Half of the spread. */
const TOUCH = 0.00004;
/** Trades of a venue that has as many positions as the primary, against the primary's: they are smaller. */
const TRADES_PER_SHARE = 4;
const WEEK_S = 7 * 86_400;
/** By how much buyers outnumber sellers while the price rises by as much as it usually moves. */
const LEAN = 0.12;
/** Small positions closed a minute, on a coin with this many trades a week, and their least size. */
const LONELY_CHANCE = 0.2;
const LONELY_TRADES = 2_000_000;
const LONELY_USD_MIN = 200;
/** One coin's period changes at every multiple of this time. */
const PERIOD_CHANGE_MS = 6 * HOUR_MS;

export interface VenueShape {
  readonly id: string;
  /** Open interest against the primary venue's. */
  readonly share: number;
  /** Standard deviation of its mark against the primary venue's. */
  readonly basisBps: number;
  /** By which it is behind. */
  readonly latencyMs: number;
  /** Part of the primary venue's coins that it lists; the five largest always, since Deribit has options on them. */
  readonly listed: number;
  /** Where every contract has the same; otherwise they differ, and one changes now and then. */
  readonly periodHours?: number;
}

export interface VenueQuote {
  readonly ts: number;
  readonly mark: number;
  readonly index: number;
  readonly bid: number;
  readonly ask: number;
  readonly last: number;
}

export interface VenueFunding {
  /** Per period, as a fraction. */
  readonly rate: number;
  readonly periodHours: number;
  readonly prevFundingMs: number;
  readonly nextFundingMs: number;
}

/** A contract of the venue, for which the market makes a tape. */
export interface TapeContract {
  readonly symbol: string;
  readonly coin: Coin;
  /** Its part of the venue's trades of the coin; all of them when absent. */
  readonly part?: number;
  /** Whether a position closed by force was in this contract; all are when absent. */
  readonly takes?: (deal: VenueDeal) => boolean;
}

/** A position closed by force on a venue that is not the tape. */
export interface VenueDeal {
  readonly coin: string;
  readonly ts: number;
  readonly side: Side;
  readonly price: number;
  /** In coins of the primary venue's unit. */
  readonly size: number;
  /** Grows with time; the same deal has the same one for every caller. */
  readonly id: number;
  readonly isLiquidation: boolean;
}

/**
 * The one market as another venue sees it: the same prices with a basis, its share of the positions, its own funding
 * periods, its part of the liquidations. All amounts and prices are in the primary venue's units (kPEPE is a thousand
 * PEPE); a venue with other units converts with `bareCoin`. Like the market a pure function of seed and time.
 */
export class VenueMarket {
  readonly shape: VenueShape;
  readonly market: Market;
  /** Its listed coins. */
  readonly coins: readonly Coin[];
  readonly #salt: number;
  readonly #noise = new Map<string, CoinNoise>();
  readonly #tapes = new Map<string, Tape>();
  /** By the names of its copies. */
  readonly #copied = new Map<string, Coin>();

  /**
   * If there are fewer coins than `contracts`, lists copies of the last one, each with its own name and basis. Default:
   * as many as the real venue has, if the market is of real size.
   */
  constructor(
    market: Market,
    shape: VenueShape,
    contracts = market.size === 'real' ? liveContractsOf(shape.id) : 0,
  ) {
    this.market = market;
    this.shape = shape;
    this.#salt = mix(market.seed, hashText(`venue ${shape.id}`));
    const candidates = market.coins.filter(({ isDelisted, dex }) => !isDelisted && dex === '');
    const coins = candidates.slice(0, Math.max(LISTED_MIN, Math.round(shape.listed * candidates.length)));
    const last = coins.at(-1);
    for (let copy = 1; last && coins.length < contracts; copy += 1) {
      const name = `${last.name}X${copy}`;
      coins.push({ ...last, name });
      this.#copied.set(name, last);
    }
    this.coins = coins;
  }

  /** The name under which the market knows a coin. */
  #known(coin: string): string {
    return this.#copied.get(coin)?.name ?? coin;
  }

  /** Price of the coin in the world at large, in dollars. */
  index(coin: string, atMs: number): number {
    return this.market.quote(this.#known(coin), atMs - this.shape.latencyMs).index;
  }

  quote(coin: string, atMs: number): VenueQuote {
    const { ts, mark, index } = this.market.quote(this.#known(coin), atMs - this.shape.latencyMs);
    const own = mark * (1 + this.#basis(coin, atMs));
    const tilt = uniformOf(mix(this.#salt, Math.floor(atMs / 1000))) < 0.5 ? -1 : 1;
    const [bid, ask] = [own * (1 - TOUCH), own * (1 + TOUCH)];
    return { ts, mark: own, index, bid, ask, last: own * (1 + tilt * TOUCH) };
  }

  /** In coins, one-sided. */
  openInterest(coin: string, atMs: number): number {
    const factor = this.shape.share * Math.exp(SHARE_SIGMA * this.#noiseOf(coin).share.at(atMs));
    return this.market.openInterest(this.#known(coin), atMs - this.shape.latencyMs) * factor;
  }

  volume24h(coin: string, atMs: number): { readonly coins: number; readonly usd: number } {
    const { coins, usd } = this.market.volume24h(this.#known(coin), atMs);
    return { coins: coins * this.shape.share, usd: usd * this.shape.share };
  }

  /** Most pay every 8 hours; some every 4 or 1; the last listed one changes between 8 and 4 while the market runs. */
  periodHours(coin: string, atMs: number): number {
    if (this.shape.periodHours !== undefined) return this.shape.periodHours;
    if (coin === this.coins.at(-1)?.name) return Math.floor(atMs / PERIOD_CHANGE_MS) % 2 === 0 ? 8 : 4;
    const pick = uniformOf(mix(this.#salt, hashText(coin)));
    if (coin === 'BTC' || coin === 'ETH' || pick < 0.6) return 8;
    return pick < 0.9 ? 4 : 1;
  }

  /** Funding of the period in progress. */
  funding(coin: string, atMs: number): VenueFunding {
    const periodHours = this.periodHours(coin, atMs);
    const periodMs = periodHours * HOUR_MS;
    const prevFundingMs = Math.floor(atMs / periodMs) * periodMs;
    const hourly = this.market.funding(this.#known(coin), atMs - this.shape.latencyMs).rate;
    const rate = (hourly + FUNDING_SIGMA * this.#noiseOf(coin).funding.at(atMs)) * periodHours;
    return { rate, periodHours, prevFundingMs, nextFundingMs: prevFundingMs + periodMs };
  }

  /** The share of holders, or of positions, that is long. Each text of `view` has its own crowd. */
  longFraction(coin: string, view: string, atMs: number): number {
    const noise = new SmoothNoise(mix(this.#salt, hashText(`${coin} ${view}`)), CROWD);
    return 1 / (1 + Math.exp(-0.25 - 0.35 * noise.at(atMs)));
  }

  /** The positions that it closed by force with `fromMs <= ts < toMs`, oldest first. */
  liquidations(coin: Coin, fromMs: number, toMs: number): VenueDeal[] {
    const deals = [...this.#cascaded(coin, fromMs, toMs), ...this.#lonely(coin, fromMs, toMs)];
    return deals.toSorted((a, b) => a.ts - b.ts);
  }

  /** Its share of what cascades close. */
  #cascaded(coin: Coin, fromMs: number, toMs: number): VenueDeal[] {
    const { latencyMs, share } = this.shape;
    const startMs = fromMs - latencyMs;
    const endMs = toMs - latencyMs;
    const lookBackMs = CASCADE_SLOTS_MAX * SLOT_MS;
    const known = this.#copied.get(coin.name) ?? coin;
    const forced = this.market
      .cascades(known.name, startMs - lookBackMs, endMs)
      .flatMap((cascade) => forcedOrdersOf(this.market).of(known, cascade))
      .filter(({ ts }) => ts >= startMs && ts < endMs);
    const deals: VenueDeal[] = [];
    for (const { order, ts, isBuy, size, notional } of forced) {
      const hash = mix(this.#salt, order);
      // A venue with a small share closes fewer positions, not only smaller ones.
      if (uniformOf(hash) > Math.min(1, 0.4 + share)) continue;
      const at = ts + latencyMs;
      deals.push({
        coin: coin.name,
        ts: at,
        side: isBuy ? 'buy' : 'sell',
        price: (notional / size) * (1 + this.#basis(coin.name, at)),
        size: size * share * (0.5 + uniformOf(mix(hash, 1))),
        id: at * 1000 + (hash & 511),
        isLiquidation: true,
      });
    }
    return deals;
  }

  /** Small positions that are closed on any day, a minute at most one. */
  #lonely(coin: Coin, fromMs: number, toMs: number): VenueDeal[] {
    const salt = mix(this.#salt, hashText(`${coin.name} lonely`));
    const chance = LONELY_CHANCE * Math.sqrt((coin.tradesPerWeek / LONELY_TRADES) * this.shape.share);
    const deals: VenueDeal[] = [];
    for (let minute = Math.floor(fromMs / MINUTE_MS); minute * MINUTE_MS < toMs; minute += 1) {
      const hash = mix(salt, minute);
      if (uniformOf(hash) >= chance) continue;
      const ts = minute * MINUTE_MS + ((hash >>> 4) % MINUTE_MS);
      if (ts < fromMs || ts >= toMs) continue;
      const isBuy = (hash & 1) === 1;
      const { bid, ask } = this.quote(coin.name, ts);
      const price = isBuy ? ask : bid;
      const usd = LONELY_USD_MIN * 10 ** (2 * uniformOf(mix(hash, 1)));
      deals.push({
        coin: coin.name,
        ts,
        side: isBuy ? 'buy' : 'sell',
        price,
        size: Math.ceil((usd / price) * 10 ** coin.sizeDecimals) / 10 ** coin.sizeDecimals,
        id: ts * 1000 + 768 + (hash & 127),
        isLiquidation: true,
      });
    }
    return deals;
  }

  /** All trades of one of its contracts. Those of the coin's largest one include forced orders. */
  tape({ symbol, coin, part = 1, takes = () => true }: TapeContract): Tape {
    let tape = this.#tapes.get(symbol);
    if (!tape) {
      const salt = mix(this.#salt, hashText(`${symbol} tape`));
      const { rate, busy, busySalt = salt } = this.market.others;
      const perSecond = (coin.tradesPerWeek / WEEK_S) * TRADES_PER_SHARE * this.shape.share;
      tape = new PerpTape({
        salt,
        tradesPerS: perSecond * part * rate,
        busy,
        busySalt,
        usdMean: (orderUsdOf(coin) * FILL_ORDERS) / TRADES_PER_SHARE,
        quote: (atMs) => this.quote(coin.name, atMs),
        lean: (fromMs, toMs) => this.#lean(coin, fromMs, toMs),
        forced: (fromMs, toMs) => this.liquidations(coin, fromMs, toMs).filter(takes),
      });
      this.#tapes.set(symbol, tape);
    }
    return tape;
  }

  /** How many takers buy: more of them while the price rises. */
  #lean({ name, dailyVolatility }: Coin, fromMs: number, toMs: number): number {
    const drift = Math.log(this.quote(name, toMs).mark / this.quote(name, fromMs).mark);
    const usual = dailyVolatility * Math.sqrt((toMs - fromMs) / DAY_MS);
    return 0.5 + LEAN * Math.max(-1.5, Math.min(1.5, drift / usual));
  }

  #basis(coin: string, atMs: number): number {
    return (this.shape.basisBps / 10_000) * this.#noiseOf(coin).basis.at(atMs);
  }

  #noiseOf(coin: string): CoinNoise {
    let noise = this.#noise.get(coin);
    if (!noise) {
      const salt = mix(this.#salt, hashText(coin));
      noise = {
        basis: new SmoothNoise(mix(salt, 1), BASIS),
        share: new SmoothNoise(mix(salt, 2), SHARE),
        funding: new SmoothNoise(mix(salt, 3), SHARE),
      };
      this.#noise.set(coin, noise);
    }
    return noise;
  }
}

interface CoinNoise {
  readonly basis: SmoothNoise;
  readonly share: SmoothNoise;
  readonly funding: SmoothNoise;
}

/** Everything in a venue's list: its coins, what is no crypto, and what is delisted. */
export function everyListed({ coins, market }: VenueMarket): readonly Coin[] {
  return [...coins, ...market.coins.filter((coin) => coin.category !== undefined || coin.isDelisted)];
}

/** The coin without the primary venue's counting in thousands (and without its `dex:`), and how many of it make one unit there. */
export function bareCoin(listed: string): { readonly name: string; readonly perUnit: number } {
  const coin = listed.slice(listed.indexOf(':') + 1);
  return /^k[A-Z]/.test(coin) ? { name: coin.slice(1), perUnit: 1000 } : { name: coin, perUnit: 1 };
}
