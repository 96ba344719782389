import { DAY_MS, hashText, MINUTE_MS, priceOf, roundTo, type Side, yearsToExpiry } from '@crosstape/core';
import { Dice, mix, type NoiseShape, SmoothNoise } from '../../market/noise.ts';
import { EXPIRY_TIME_MS, expiriesAt, type Expiry } from './expiries.ts';
import type { OptionBook, SimulatedOption } from './option-book.ts';
import { markOf, nameOf } from './rows.ts';
import { SERIES, type Series } from './series.ts';

/** Trades are made a slot at a time. */
const SLOT_MS = MINUTE_MS;
/** Ids of a slot: the trades of futures take ids, too, so they are not consecutive. */
const IDS_PER_SLOT = 1_000;
/** The first slot is that of 2020. */
const FIRST_SLOT = Date.UTC(2020, 0) / SLOT_MS;
/** The activity falls with the number of the expiry. */
const NEARNESS = 3;
/** Standard deviations of the strikes from the forward, and of the logarithm of sizes. */
const STRIKES_SIGMA = 0.9;
const SIZE_SIGMA = 1.3;
/** Takers pay this share of the volatility, give or take. */
const IV_COST = 0.008;
const IV_SIGMA = 0.006;
/** How strongly the mood of takers leans the sides. */
const MOOD = 0.15;
const MOOD_SHAPE: NoiseShape = { longestMs: 8 * 60 * MINUTE_MS, octaves: 3, roughness: 0.5 };
/** Shares of orders: blocks, whose sizes are larger, and liquidations. */
const BLOCK_SHARE = 0.04;
const BLOCK_TIMES = 40;
const LIQUIDATION_SHARE = 0.004;
/** Structures of blocks: the second leg, by the number of strikes away, type and side relative to the first. */
const STRUCTURES = [
  { code: undefined, legs: 1 },
  { code: 'STRD', legs: 2 },
  { code: 'CS', legs: 2 },
  { code: 'RR', legs: 2 },
] as const;

/** A trade of an option. */
export interface SimulatedOptionTrade {
  readonly option: SimulatedOption;
  readonly id: string;
  readonly seq: number;
  readonly ts: number;
  readonly side: Side;
  readonly price: number;
  readonly mark: number;
  readonly ivPct: number;
  readonly size: number;
  readonly block?: { readonly id: string; readonly legs: number; readonly combo?: string };
  readonly liquidation?: 'M' | 'T';
}

type Leg = Omit<SimulatedOptionTrade, 'id' | 'seq'>;

/** The trades of a book's options: like the book a pure function of seed and time. */
export class OptionTape {
  readonly #book: OptionBook;
  readonly #salt: number;
  readonly #dice = new Dice();
  readonly #moods = new Map<string, SmoothNoise>();
  #listed: { readonly day: number; readonly expiries: readonly Expiry[] } | undefined;

  constructor(book: OptionBook, seed: number) {
    this.#book = book;
    this.#salt = mix(seed, hashText('option trades'));
  }

  /** Trades of a currency with `fromMs <= ts <= toMs`, by id, ascending or descending; no more are made than are taken. */
  *trades(
    currency: string,
    fromMs: number,
    toMs: number,
    isAscending: boolean,
  ): Generator<SimulatedOptionTrade> {
    const [first, last] = [Math.floor(fromMs / SLOT_MS), Math.floor(toMs / SLOT_MS)];
    const step = isAscending ? 1 : -1;
    for (let slot = isAscending ? first : last; slot >= first && slot <= last; slot += step) {
      const trades = this.#slot(currency, slot).filter(({ ts }) => ts >= fromMs && ts <= toMs);
      yield* isAscending ? trades : trades.toReversed();
    }
  }

  #slot(currency: string, slot: number): readonly SimulatedOptionTrade[] {
    const all = SERIES.filter((series) => series.currency === currency);
    const legs = all.flatMap((series) => this.#orders(series, slot)).toSorted((a, b) => a.ts - b.ts);
    return legs.slice(0, IDS_PER_SLOT).map((leg, i) => {
      const number = (slot - FIRST_SLOT) * IDS_PER_SLOT + i;
      const { prefix } = leg.option.series;
      // Of BTC a plain number, of others with a prefix.
      return { ...leg, id: prefix === 'BTC' ? `${number}` : `${prefix}-${number}`, seq: number };
    });
  }

  #orders(series: Series, slot: number): readonly Leg[] {
    const dice = this.#dice;
    dice.seed(mix(mix(this.#salt, hashText(series.prefix)), slot));
    const legs: Leg[] = [];
    const mean = SLOT_MS / series.tradedEveryMs;
    const orders = Math.floor(2 * mean * dice.next() + dice.next());
    for (let i = 0; i < orders; i += 1) legs.push(...this.#order(series, slot));
    return legs;
  }

  #order(series: Series, slot: number): readonly Leg[] {
    const dice = this.#dice;
    const ts = slot * SLOT_MS + Math.floor(dice.next() * SLOT_MS);
    const expiry = chosenOf(this.#expiriesAt(ts), dice.next());
    const chain = this.#book.chain(series, expiry, ts);
    const { strikes, step, forward, deviation } = chain;
    const distance = (dice.next() + dice.next() + dice.next() - 1.5) * 2 * STRIKES_SIGMA;
    const target = forward * Math.exp(distance * deviation);
    const nearest = Math.round((target - (strikes[0] ?? 0)) / step);
    const place = Math.max(0, Math.min(nearest, strikes.length - 1));
    // Out of the money is where most is traded.
    const type = distance > 0 === dice.next() < 0.8 ? 'C' : 'P';
    const side = dice.next() < 0.5 + MOOD * this.#mood(series).at(ts) ? 'buy' : 'sell';
    const isBlock = dice.next() < BLOCK_SHARE;
    const lots = Math.exp(SIZE_SIGMA * (dice.next() + dice.next() + dice.next() - 1.5) * 2);
    const size = Math.max(1, Math.round(lots * (isBlock ? BLOCK_TIMES : 2))) * series.lot;
    const leg = (at: number, legType: 'C' | 'P', legSide: Side): Leg =>
      legOf(chain.option(strikes[at] ?? target, legType), {
        ts,
        side: legSide,
        size: roundTo(size, 2),
        noise: (dice.next() + dice.next() - 1) * IV_SIGMA,
      });
    const other = side === 'buy' ? 'sell' : 'buy';
    if (!isBlock) {
      const isLiquidation = dice.next() < LIQUIDATION_SHARE;
      return [
        { ...leg(place, type, side), ...(isLiquidation && { liquidation: dice.next() < 0.8 ? 'T' : 'M' }) },
      ];
    }
    const structure = STRUCTURES[Math.floor(dice.next() * STRUCTURES.length)] ?? STRUCTURES[0];
    const { code, legs } = structure;
    const next = Math.min(place + 2, strikes.length - 1);
    const first = leg(place, code === 'CS' ? 'C' : code === 'RR' ? 'P' : type, side);
    const second =
      code === 'STRD'
        ? leg(place, type === 'C' ? 'P' : 'C', side)
        : code === 'CS' || code === 'RR'
          ? leg(next, 'C', other)
          : undefined;
    const label = nameOf(first.option).split('-')[1] ?? '';
    const both = [first, ...(second ? [second] : [])];
    const places = [...new Set(both.map(({ option }) => String(option.strike).replace('.', 'd')))].join('_');
    const block = {
      id: `BLOCK-${Math.abs(mix(slot, ts)) % 1_000_000}`,
      legs,
      ...(code !== undefined && { combo: `${series.prefix}-${code}-${label}-${places}` }),
    };
    return both.map((one) => ({ ...one, block }));
  }

  /** They change at 08:00 UTC, as `expiriesAt` has them. */
  #expiriesAt(atMs: number): readonly Expiry[] {
    const day = Math.floor((atMs - EXPIRY_TIME_MS) / DAY_MS);
    if (this.#listed?.day !== day) this.#listed = { day, expiries: expiriesAt(atMs) };
    return this.#listed.expiries;
  }

  #mood({ coin }: Series): SmoothNoise {
    let mood = this.#moods.get(coin);
    if (!mood) this.#moods.set(coin, (mood = new SmoothNoise(mix(this.#salt, hashText(coin)), MOOD_SHAPE)));
    return mood;
  }
}

/** The nearer an expiry, the more is traded. */
function chosenOf(expiries: readonly Expiry[], draw: number): Expiry {
  const weights = expiries.map((_, i) => Math.exp(-i / NEARNESS));
  let left = draw * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => (left -= weight) < 0);
  return expiries[Math.max(0, found)] as Expiry;
}

/** At the volatility of the mark, and what the taker pays, rounded to a tick. */
function legOf(
  option: SimulatedOption,
  at: { readonly ts: number; readonly side: Side; readonly size: number; readonly noise: number },
): Leg {
  const { series, strike, type, forward, iv } = option;
  const { ts, side, size, noise } = at;
  const years = yearsToExpiry(option.expiry.expiryMs, ts) as number;
  const volatility = roundTo(iv * (1 + (side === 'buy' ? IV_COST : -IV_COST) + noise), 4);
  const usd = priceOf(type, { forward, strike, volatility, years });
  const quoted = series.isLinear ? usd : usd / forward;
  const ticks = Math.max(1, Math.round(quoted / series.tick));
  return {
    option,
    ts,
    side,
    size,
    price: roundTo(ticks * series.tick, 6),
    mark: markOf(option),
    ivPct: roundTo(volatility * 100, 2),
  };
}
