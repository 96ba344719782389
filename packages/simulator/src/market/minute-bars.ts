import type { Coin } from './coins.ts';
import type { Market } from './market.ts';
import { priceDecimals } from './tick.ts';
import { TradeColumns } from './trade-columns.ts';
import { BLOCK_TRADES_MAX } from './trades.ts';

export const MINUTE_MS = 60_000;
/** How far back minutes are kept, and so how far the simulated venues remember. */
export const HISTORY_MINUTES = 7 * 24 * 60;
/** Trades turned into bars before others get their turn: about 10 ms of work. */
const SLICE_TRADES = 16_384;
/** The longest stretch asked of the market at once. */
const STRETCH_MINUTES = 20;

/** Prices in dollars, sizes in coins. */
export interface Bar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly size: number;
  readonly notionalUsd: number;
  readonly trades: number;
}

/** One coin's minutes, in a ring; `minute` tells which one a place holds. */
interface Ring {
  readonly minute: Float64Array;
  readonly bars: (Bar | undefined)[];
}

/** Bars of a minute, made from the market's trades when first asked for and then remembered. */
export class MinuteBars {
  readonly #market: Market;
  readonly #columns = new TradeColumns(2 * BLOCK_TRADES_MAX);
  readonly #rings = new Map<string, Ring>();

  constructor(market: Market) {
    this.#market = market;
  }

  /** The bar of each whole minute in [fromMs, toMs), `undefined` where nothing traded. Makes way for others meanwhile. */
  async read(coin: Coin, fromMs: number, toMs: number): Promise<(Bar | undefined)[]> {
    const from = Math.ceil(fromMs / MINUTE_MS);
    const to = Math.floor(toMs / MINUTE_MS);
    if (to - from > HISTORY_MINUTES) throw new RangeError(`at most ${HISTORY_MINUTES} minutes at once`);
    const ring = this.#ringOf(coin);
    let worked = 0;
    for (let minute = from; minute < to; ) {
      if (ring.minute[minute % HISTORY_MINUTES] === minute) {
        minute += 1;
        continue;
      }
      let until = minute + 1;
      while (until < to && until - minute < STRETCH_MINUTES && ring.minute[until % HISTORY_MINUTES] !== until)
        until += 1;
      worked += this.#make(coin, ring, minute, until);
      minute = until;
      if (worked >= SLICE_TRADES) {
        worked = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return Array.from({ length: Math.max(0, to - from) }, (_, i) => ring.bars[(from + i) % HISTORY_MINUTES]);
  }

  /** The trades of a stretch shorter than a minute as one bar. */
  part(coin: Coin, fromMs: number, toMs: number): Bar | undefined {
    const bars: (Bar | undefined)[] = [undefined];
    this.#gather(coin, fromMs, toMs, () => 0, bars);
    return bars[0];
  }

  #make(coin: Coin, ring: Ring, from: number, to: number): number {
    for (let minute = from; minute < to; minute += 1) {
      ring.minute[minute % HISTORY_MINUTES] = minute;
      ring.bars[minute % HISTORY_MINUTES] = undefined;
    }
    const place = (ts: number): number => Math.floor(ts / MINUTE_MS) % HISTORY_MINUTES;
    return this.#gather(coin, from * MINUTE_MS, to * MINUTE_MS, place, ring.bars);
  }

  #gather(
    coin: Coin,
    fromMs: number,
    toMs: number,
    place: (ts: number) => number,
    bars: (Bar | undefined)[],
  ): number {
    const columns = this.#columns;
    const dollar = 10 ** priceDecimals(coin.sizeDecimals);
    const lotsPerCoin = 10 ** coin.sizeDecimals;
    let trades = 0;
    for (let atMs = fromMs; atMs < toMs; ) {
      atMs = this.#market.fill(coin.name, atMs, toMs, columns);
      trades += columns.length;
      for (let i = 0; i < columns.length; ) {
        const at = place(columns.ts[i]!);
        const tally = new Tally(bars[at]);
        for (; i < columns.length && place(columns.ts[i]!) === at; i += 1) {
          tally.add(columns.price[i]! / dollar, columns.lots[i]! / lotsPerCoin);
        }
        bars[at] = tally;
      }
    }
    return trades;
  }

  #ringOf(coin: Coin): Ring {
    let ring = this.#rings.get(coin.name);
    if (!ring) {
      ring = {
        minute: new Float64Array(HISTORY_MINUTES).fill(-1),
        bars: Array.from({ length: HISTORY_MINUTES }),
      };
      this.#rings.set(coin.name, ring);
    }
    return ring;
  }
}

/** A bar under construction. */
class Tally implements Bar {
  open: number;
  high: number;
  low: number;
  close: number;
  size: number;
  notionalUsd: number;
  trades: number;

  constructor(bar: Bar | undefined) {
    this.open = bar?.open ?? Number.NaN;
    this.high = bar?.high ?? Number.NEGATIVE_INFINITY;
    this.low = bar?.low ?? Number.POSITIVE_INFINITY;
    this.close = bar?.close ?? Number.NaN;
    this.size = bar?.size ?? 0;
    this.notionalUsd = bar?.notionalUsd ?? 0;
    this.trades = bar?.trades ?? 0;
  }

  add(price: number, size: number): void {
    if (this.trades === 0) this.open = price;
    if (price > this.high) this.high = price;
    if (price < this.low) this.low = price;
    this.close = price;
    this.size += size;
    this.notionalUsd += price * size;
    this.trades += 1;
  }
}

/** Several bars as one; `undefined` when nothing traded in any. */
export function mergeBars(bars: readonly (Bar | undefined)[]): Bar | undefined {
  let merged: Bar | undefined;
  for (const bar of bars) {
    if (!bar) continue;
    merged = merged
      ? {
          open: merged.open,
          high: Math.max(merged.high, bar.high),
          low: Math.min(merged.low, bar.low),
          close: bar.close,
          size: merged.size + bar.size,
          notionalUsd: merged.notionalUsd + bar.notionalUsd,
          trades: merged.trades + bar.trades,
        }
      : bar;
  }
  return merged;
}
