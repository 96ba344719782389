import { hashText, MINUTE_MS, type Side, WEEK_MS } from '@crosstape/core';
import { spotVenues } from '@crosstape/venues';
import { Currencies } from './currencies.ts';
import { type ExcursionShape, Excursions } from './excursions.ts';
import { logNormalTable, mix, type NoiseShape, SmoothNoise, uniformOf } from './noise.ts';
import { outlineOf } from './outline.ts';
import type { Tape, TapeDeal } from './tape.ts';
import { bareCoin, type VenueMarket } from './venue-market.ts';

const BPS = 1e-4;
/** Half of the spread; less for stablecoins. */
const TOUCH = 0.3 * BPS;
const DOLLAR_TOUCH = 0.1 * BPS;
/** Its spread is one tick against dollars. This and the figures of trades below are those of captures: docs/simulator.md. */
const TIGHT = 'BTC';
/** Best prices hold for this long on average, and never for twice as long. */
const HOLD_MS = 500;
/** Hashes of the times at which best prices move are apart from those of trades. */
const HOLD_STREAM = 0x686f6c64;
/** How often a further fill of an order is at another price, and 2^this bounds by how many ticks. */
const OTHER_PRICE = 0.3;
const OTHER_PRICE_BITS = 5;
const BASIS: NoiseShape = { longestMs: 60 * MINUTE_MS, octaves: 3, roughness: 0.5 };
/** Stablecoins cost nearly the same everywhere. */
const DOLLAR_BASIS = 0.3;
/** 8 of 32 minutes, so that an observer sees one within an hour. */
const OFTEN = { everyMs: 32 * MINUTE_MS, lengthMs: 8 * MINUTE_MS };
const PROXY: ExcursionShape = { ...OFTEN, least: 18, most: 26 };
const ASTRAY: ExcursionShape = { ...OFTEN, least: 34, most: 45 };
/** One of the others goes astray at a time. */
const [{ id: PROXY_ID }, ...OTHERS] = spotVenues;
const SIZE_DECIMALS_MAX = 8;
/**
 * Decimals of a lot beyond those that make it worth a dollar, where the venue has fewer than eight: Binance lists 0.00001
 * BTC and 0.0001 ETH, Bybit a tenth of that.
 */
const LOT_DECIMALS: Readonly<Record<string, number>> = { 'binance-spot': 0, 'bybit-spot': 1 };
const SLOT_MS_MAX = 60_000;
const SLOT_MS_MIN = 2;
/** Ids have no gaps, so every stretch of time has as many trades. */
const DEALS_PER_SLOT = 2;
const DEAL_SHARE = 0.7;
/** The share of the venue that has as many trades as that. */
const PROXY_SHARE = 0.3;
/** Cached prices of a coin: those of now, a day ago and midnight are requested repeatedly. */
const REMEMBERED_MAX = 8;
/** Value of a trade. */
const USD_MEDIAN = 110;
const USD_MIN = 0.5;
const USD_FACTORS = logNormalTable(2.3);
const USD_MEAN = USD_FACTORS.reduce((sum, factor) => sum + USD_MEDIAN * factor, 0) / USD_FACTORS.length;
/** How often both are fills of one order. */
const SAME_ORDER = 0.9;

/** A pair as a venue trades it. */
export interface SpotPair {
  /** Single coins, whatever the primary venue's unit. */
  readonly base: string;
  readonly quote: string;
  /** Prices are whole ticks of 10^-this. */
  readonly priceDecimals: number;
}

/** A pair's prices in its own currency and in single coins, whatever the primary venue's unit. */
export interface SpotQuote {
  readonly bid: number;
  readonly ask: number;
  readonly last: number;
}

export interface SpotDeal {
  readonly ts: number;
  /** The taker's. */
  readonly side: Side;
  readonly price: number;
  /** In single coins. */
  readonly size: number;
  /** Counted without gaps. */
  readonly id: number;
  /** The same for fills of one order. */
  readonly order: number;
}

/** Approximate value of a trade, whatever its price. */
export interface SpotAmount {
  readonly ts: number;
  /** The taker's. */
  readonly side: Side;
  readonly usd: number;
  /** Whether it is a fill of the order before it. */
  readonly isSameOrder: boolean;
}

/**
 * The one market as a spot venue sees it: the index with a basis that wanders, from which the venue goes astray now and
 * then, in the money that it quotes in. Like the market a pure function of seed and time.
 */
export class SpotMarket {
  readonly money: Currencies;
  readonly #venue: VenueMarket;
  readonly #salt: number;
  readonly #excursions: Excursions;
  readonly #coins: ReadonlyMap<string, SpotCoin>;
  readonly #basis = new Map<string, SmoothNoise>();
  readonly #dealSalts = new Map<string, number>();
  readonly #remembered = new Map<string, Map<number, number>>();

  constructor(venue: VenueMarket) {
    const { seed } = venue.market;
    const isProxy = venue.shape.id === PROXY_ID;
    this.money = new Currencies(seed);
    this.#venue = venue;
    this.#salt = mix(seed, hashText(`spot ${venue.shape.id}`));
    this.#coins = new Map(
      [...venue.market.coins, ...venue.coins].map(({ name, tradesPerWeek, price }) => {
        const { name: bare, perUnit } = bareCoin(name);
        return [bare, { name, tradesPerWeek, perUnit, usd: price / perUnit }];
      }),
    );
    // The others share theirs, so that one is astray at a time.
    this.#excursions = new Excursions(
      mix(seed, hashText(isProxy ? 'proxy' : 'astray')),
      isProxy ? PROXY : ASTRAY,
    );
  }

  quote(pair: SpotPair, atMs: number): SpotQuote {
    const { base, quote, priceDecimals } = pair;
    const scale = 10 ** priceDecimals;
    const heldMs = this.#heldSince(base, atMs);
    const middle = this.#usd(base, heldMs) * this.factor(base, quote, heldMs) * scale;
    const touch = touchOf(pair);
    const bidTicks = Math.floor(middle * (1 - touch));
    const askTicks = Math.max(bidTicks + 1, Math.ceil(middle * (1 + touch)));
    const [bid, ask] = [bidTicks / scale, askTicks / scale];
    const isSold = (mix(this.#salt, Math.floor(atMs / 1000)) & 1) === 0;
    return { bid, ask, last: isSold ? bid : ask };
  }

  /** When the best prices of a time were set. */
  #heldSince(base: string, atMs: number): number {
    const salt = mix(this.#dealSalt(base), HOLD_STREAM);
    const setIn = (span: number): number => Math.floor((span + uniformOf(mix(salt, span))) * HOLD_MS);
    const span = Math.floor(atMs / HOLD_MS);
    const setMs = setIn(span);
    return setMs <= atMs ? setMs : setIn(span - 1);
  }

  /** Ratio of a quote's mid to the global price of the base, in dollars. */
  factor(base: string, currency: string, atMs: number): number {
    return (1 + this.#basisOf(base, atMs)) / this.#worth(currency, atMs);
  }

  /** Over 24 hours, in single coins. */
  volume24h(base: string, atMs: number): number {
    if (isDollar(base)) return 4e7 * this.#venue.shape.share;
    const coin = this.#coinOf(base);
    return this.#venue.volume24h(coin.name, atMs).coins * coin.perUnit;
  }

  /** By which the venue is off, as a fraction of the price. */
  premium(atMs: number): number {
    const { id } = this.#venue.shape;
    const isAway =
      id === PROXY_ID || id === OTHERS[Math.abs(mix(this.#excursions.hashAt(atMs), 3)) % OTHERS.length]?.id;
    return isAway ? BPS * this.#excursions.at(atMs) : 0;
  }

  /** The trades with `fromMs <= ts < toMs`, oldest first. */
  deals(pair: SpotPair, fromMs: number, toMs: number): readonly SpotDeal[] {
    const slotMs = this.#slotMs(pair.base);
    const deals: SpotDeal[] = [];
    for (let slot = Math.floor(fromMs / slotMs); slot * slotMs < toMs; slot += 1) {
      for (const deal of this.#dealsOf(pair, slot, slotMs))
        if (deal.ts >= fromMs && deal.ts < toMs) deals.push(deal);
    }
    return deals;
  }

  /** The same trades by their ids. */
  tape(pair: SpotPair): Tape {
    const { base } = pair;
    const slotMs = this.#slotMs(base);
    const nextAt = (atMs: number): number => {
      const slot = Math.floor(atMs / slotMs);
      const before = this.#amountsOf(base, slot, slotMs).filter(({ ts }) => ts < atMs).length;
      return slot * DEALS_PER_SLOT + before;
    };
    return {
      nextAt,
      outline: (fromMs, toMs) =>
        outlineOf({
          salt: this.#dealSalt(base),
          fromMs,
          toMs,
          first: nextAt(fromMs),
          next: nextAt(toMs),
          usdMean: USD_MEAN,
          quote: (atMs) => this.quote(pair, atMs),
          sizeOf: (usd, { ts }) => wholeLots(usd / this.#usd(base, ts), this.sizeDecimals(base)),
        }),
      read: (from, to) => {
        const deals: TapeDeal[] = [];
        for (let slot = Math.floor(from / DEALS_PER_SLOT); slot * DEALS_PER_SLOT < to; slot += 1) {
          for (const { id, ...deal } of this.#dealsOf(pair, slot, slotMs))
            if (id >= from && id < to) deals.push({ ...deal, number: id, isLiquidation: false });
        }
        return deals;
      },
    };
  }

  /** The newest trade before a time. */
  lastDeal(pair: SpotPair, atMs: number): SpotDeal {
    const found = this.deals(pair, atMs - 2 * this.#slotMs(pair.base), atMs).at(-1);
    if (!found) throw new Error(`${pair.base} was not traded`);
    return found;
  }

  /** The same trades by their value only: prices cost the most. */
  emit(base: string, fromMs: number, toMs: number, reported: (deal: SpotAmount) => void): void {
    const slotMs = this.#slotMs(base);
    for (let slot = Math.floor(fromMs / slotMs); slot * slotMs < toMs; slot += 1) {
      for (const deal of this.#amountsOf(base, slot, slotMs))
        if (deal.ts >= fromMs && deal.ts < toMs) reported(deal);
    }
  }

  #dealsOf(pair: SpotPair, slot: number, slotMs: number): readonly SpotDeal[] {
    const { base, priceDecimals } = pair;
    const scale = 10 ** priceDecimals;
    return this.#amountsOf(base, slot, slotMs).map(({ ts, side, usd, isSameOrder }, i) => {
      const { bid, ask } = this.quote(pair, ts);
      const away = isSameOrder ? this.#ticksAway(base, slot) : 0;
      const price = Math.round(side === 'buy' ? ask * scale + away : bid * scale - away) / scale;
      const id = slot * DEALS_PER_SLOT + i;
      const size = wholeLots(usd / this.#usd(base, this.#heldSince(base, ts)), this.sizeDecimals(base));
      return { ts, side, price, size, id, order: isSameOrder ? id - 1 : id };
    });
  }

  /** By how many ticks the second fill of an order is worse than the first. */
  #ticksAway(base: string, slot: number): number {
    const salt = mix(this.#dealSalt(base), slot);
    if (uniformOf(mix(salt, 8)) >= OTHER_PRICE) return 0;
    return Math.floor(2 ** (OTHER_PRICE_BITS * uniformOf(mix(salt, 9))));
  }

  /** Decimals of a lot, which is worth less than a cent unless the venue has larger ones. */
  sizeDecimals(base: string): number {
    const digits = Math.log10(isDollar(base) ? 1 : this.#coinOf(base).usd);
    const own = LOT_DECIMALS[this.#venue.shape.id];
    const decimals = own === undefined ? 4 + Math.floor(digits) : own + Math.round(digits);
    return Math.max(0, Math.min(SIZE_DECIMALS_MAX, decimals));
  }

  #amountsOf(base: string, slot: number, slotMs: number): readonly [SpotAmount, SpotAmount] {
    const salt = mix(this.#dealSalt(base), slot);
    const [a, b] = [uniformOf(mix(salt, 2)), uniformOf(mix(salt, 3))];
    const first = this.#amountAt(slot * slotMs + Math.floor(Math.min(a, b) * slotMs), salt, 0);
    const usd = usdOf(mix(salt, 7));
    const isOneOrder = uniformOf(mix(salt, 1)) < SAME_ORDER;
    if (isOneOrder) return [first, { ...first, usd, isSameOrder: true }];
    return [first, this.#amountAt(slot * slotMs + Math.floor(Math.max(a, b) * slotMs), salt, 1)];
  }

  #amountAt(ts: number, salt: number, i: number): SpotAmount {
    // Takers buy where the price is higher than elsewhere, and sell where it is lower.
    const buys = 0.5 + 0.4 * Math.max(-1, Math.min(1, this.premium(ts) / (15 * BPS)));
    const side = uniformOf(mix(salt, 4 + i)) < buys ? 'buy' : 'sell';
    return { ts, side, usd: usdOf(mix(salt, 6 + i)), isSameOrder: false };
  }

  #dealSalt(base: string): number {
    let salt = this.#dealSalts.get(base);
    if (salt === undefined) this.#dealSalts.set(base, (salt = mix(this.#salt, hashText(`${base} deals`))));
    return salt;
  }

  #slotMs(base: string): number {
    const perWeek = isDollar(base) ? 100_000 : this.#coinOf(base).tradesPerWeek;
    const { shape, market } = this.#venue;
    const share = DEAL_SHARE * (shape.share / PROXY_SHARE);
    const slotMs = (DEALS_PER_SLOT * WEEK_MS) / (perWeek * share * market.others.rate);
    return Math.round(Math.max(SLOT_MS_MIN, Math.min(SLOT_MS_MAX, slotMs)));
  }

  /** Global price of one unit of the base, in dollars. */
  #usd(base: string, atMs: number): number {
    if (base === 'USDT') return this.money.usdt(atMs);
    if (base === 'USDC') return this.money.usdc(atMs);
    const times = this.#remembered.get(base) ?? new Map<number, number>();
    this.#remembered.set(base, times);
    const known = times.get(atMs);
    if (known !== undefined) return known;
    const { name, perUnit } = this.#coinOf(base);
    const usd = this.#venue.index(name, atMs) / perUnit;
    const [oldest] = times.size < REMEMBERED_MAX ? [] : times.keys();
    if (oldest !== undefined) times.delete(oldest);
    times.set(atMs, usd);
    return usd;
  }

  #worth(currency: string, atMs: number): number {
    switch (currency) {
      case 'USD':
        return 1;
      case 'USDT':
        return this.money.usdt(atMs);
      case 'USDC':
        return this.money.usdc(atMs);
      case 'KRW':
        return 1 / (this.money.usdKrw(atMs) * (1 + this.money.koreanPremium(atMs)));
      default:
        return this.#usd(currency, atMs);
    }
  }

  #basisOf(base: string, atMs: number): number {
    let noise = this.#basis.get(base);
    if (!noise) {
      noise = new SmoothNoise(mix(this.#salt, hashText(base)), BASIS);
      this.#basis.set(base, noise);
    }
    const usual = BPS * this.#venue.shape.basisBps * noise.at(atMs);
    return isDollar(base) ? usual * DOLLAR_BASIS : usual + this.premium(atMs);
  }

  #coinOf(base: string): SpotCoin {
    const coin = this.#coins.get(base);
    if (!coin) throw new RangeError(`no such coin: ${base}`);
    return coin;
  }
}

interface SpotCoin {
  /** The primary venue's name of it. */
  readonly name: string;
  readonly perUnit: number;
  readonly tradesPerWeek: number;
  /** Around which the price of a single one moves. */
  readonly usd: number;
}

function touchOf({ base, quote }: SpotPair): number {
  if (isDollar(base)) return DOLLAR_TOUCH;
  return base === TIGHT && (quote === 'USD' || isDollar(quote)) ? 0 : TOUCH;
}

function isDollar(base: string): boolean {
  return base === 'USDT' || base === 'USDC';
}

/** The nearest size of whole lots, at least one. */
function wholeLots(size: number, decimals: number): number {
  return Number(Math.max(10 ** -decimals, size).toFixed(decimals));
}

function usdOf(hash: number): number {
  return Math.max(USD_MIN, USD_MEDIAN * USD_FACTORS[hash >>> 20]!);
}
