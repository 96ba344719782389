import { MINUTE_MS } from '@crosstape/core';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { Coin } from './coins.ts';
import type { Market } from './market.ts';
import { priceDecimals } from './tick.ts';
import { TradeColumns } from './trade-columns.ts';
import { BLOCK_TRADES_MAX } from './trades.ts';

/** How far back minutes are kept, and so how far the simulated venues remember. */
export const HISTORY_MINUTES = 7 * 24 * 60;
/** A busy coin has fewer cached minutes: those of this many trades, which take a second or two to make … */
const REMEMBERED_TRADES = 3_000_000;
/** … but all that an audit of the last hours needs. */
const REMEMBERED_MINUTES_MIN = 240;
/** Trades turned into bars before yielding: a few milliseconds of work. */
const SLICE_TRADES = 4096;
/** The longest range requested from the market at once, at rate 1. */
const STRETCH_MINUTES = 10;

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

/** One coin's minutes, in a ring buffer; `minute` is the minute at each place. */
interface Ring {
  readonly minute: Float64Array;
  readonly bars: (Bar | undefined)[];
}

/** Minute bars, made from the market's trades at first use and then cached. */
export class MinuteBars {
  readonly #market: Market;
  readonly #columns = new TradeColumns(BLOCK_TRADES_MAX);
  readonly #rings = new Map<string, Ring>();
  readonly #stretch: number;
  #worked = 0;

  constructor(market: Market) {
    this.#market = market;
    this.#stretch = Math.max(1, Math.floor(STRETCH_MINUTES / market.rate));
  }

  /** Number of cached minutes of a coin. */
  rememberedMinutes({ tradesPerWeek }: Coin): number {
    const perMinute = (tradesPerWeek * this.#market.rate) / (7 * 24 * 60);
    const minutes = Math.floor(REMEMBERED_TRADES / perMinute);
    return Math.min(HISTORY_MINUTES, Math.max(REMEMBERED_MINUTES_MIN, minutes));
  }

  /**
   * The bar of each whole minute in [fromMs, toMs), `undefined` if nothing traded. Yields to the event loop meanwhile.
   */
  async read(coin: Coin, fromMs: number, toMs: number): Promise<(Bar | undefined)[]> {
    const from = Math.ceil(fromMs / MINUTE_MS);
    const to = Math.floor(toMs / MINUTE_MS);
    if (to - from > HISTORY_MINUTES) throw new RangeError(`at most ${HISTORY_MINUTES} minutes at once`);
    const ring = this.#ringOf(coin);
    const isKnown = (minute: number): boolean => ring.minute[minute % HISTORY_MINUTES] === minute;
    for (let minute = from; minute < to; minute += 1) {
      if (isKnown(minute)) continue;
      let until = minute + 1;
      while (until < to && until - minute < this.#stretch && !isKnown(until)) until += 1;
      const bars = await this.#gather(coin, minute * MINUTE_MS, until * MINUTE_MS);
      for (let made = minute; made < until; made += 1) {
        ring.minute[made % HISTORY_MINUTES] = made;
        ring.bars[made % HISTORY_MINUTES] = bars[made - minute];
      }
    }
    return Array.from({ length: Math.max(0, to - from) }, (_, i) => ring.bars[(from + i) % HISTORY_MINUTES]);
  }

  /** The trades since the start of a minute as one bar. */
  async readPart(coin: Coin, minuteMs: number, toMs: number): Promise<Bar | undefined> {
    return (await this.#gather(coin, minuteMs, toMs))[0];
  }

  /** One bar of a time before the minutes that are remembered, which is not made of trades. */
  outline(coin: Coin, fromMs: number, toMs: number): Bar | undefined {
    const { trades, deals } = this.#market.outline(coin.name, fromMs, toMs);
    const counter = new MinuteCounter();
    for (const { price, size } of deals) counter.add(price, size);
    counter.trades = trades;
    return trades > 0 ? counter : undefined;
  }

  async #gather(coin: Coin, fromMs: number, toMs: number): Promise<(Bar | undefined)[]> {
    const columns = this.#columns;
    const dollar = 10 ** priceDecimals(coin.sizeDecimals);
    const lotsPerCoin = 10 ** coin.sizeDecimals;
    const counters: (MinuteCounter | undefined)[] = [];
    for (let atMs = fromMs; atMs < toMs; ) {
      if (this.#worked >= SLICE_TRADES) {
        this.#worked = 0;
        await yieldToEventLoop();
      }
      atMs = this.#market.fill(coin.name, atMs, toMs, columns);
      this.#worked += columns.length;
      for (let i = 0; i < columns.length; i += 1) {
        const counter = (counters[Math.floor((columns.ts[i]! - fromMs) / MINUTE_MS)] ??= new MinuteCounter());
        counter.add(columns.price[i]! / dollar, columns.lots[i]! / lotsPerCoin);
      }
    }
    return counters;
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
class MinuteCounter implements Bar {
  open = 0;
  high = Number.NEGATIVE_INFINITY;
  low = Number.POSITIVE_INFINITY;
  close = 0;
  size = 0;
  notionalUsd = 0;
  trades = 0;

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

/** Several bars as one; `undefined` if nothing traded in any. */
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
