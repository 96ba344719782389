import { DAY_MS } from '@crosstape/core';

/** How fast history is forgotten: after this long it counts for a third. */
export const MEMORY_MS = 12 * 3_600_000;
/** A longer silence is a gap in the recording, not in the market. */
const SILENCE_MAX_MS = 3_600_000;
/** Orders, after decay, that must have been seen before the next one is judged. */
const ORDERS_MIN = 300;
/** Larger or smaller orders than these many deviations count as if they were just so large: one giant is no news. */
const DEVIATIONS_MAX = 3;

/** State of the orders so far, as plain data. */
export interface RememberedSizes {
  readonly lastTs: number;
  /** Decayed: how many orders, the sums of their log notionals and of the squares, and the time they took. */
  readonly orders: number;
  readonly sum: number;
  readonly squares: number;
  readonly spanMs: number;
}

/**
 * Distribution of a coin's taker order sizes and their rate, with exponential decay. Sizes are modelled as log-normal,
 * which two decayed moments describe; nothing is stored per order.
 */
export class OrderSizes {
  #lastTs = 0;
  /** Decayed: how many orders, the sums of their log notionals and of the squares, and the time they took. */
  #orders = 0;
  #sum = 0;
  #squares = 0;
  #spanMs = 0;

  add(notionalUsd: number, ts: number): void {
    this.#passTo(ts);
    let log = Math.log(notionalUsd);
    if (this.#orders >= ORDERS_MIN) {
      const { mean, deviation } = this.#shape();
      const most = DEVIATIONS_MAX * deviation;
      log = Math.max(mean - most, Math.min(mean + most, log));
    }
    this.#orders += 1;
    this.#sum += log;
    this.#squares += log * log;
  }

  get remembered(): RememberedSizes {
    return {
      lastTs: this.#lastTs,
      orders: this.#orders,
      sum: this.#sum,
      squares: this.#squares,
      spanMs: this.#spanMs,
    };
  }

  /** Adds orders from before all that were added. */
  recall(before: RememberedSizes): void {
    const since = this.remembered;
    if (before.orders === 0) return;
    this.#lastTs = before.lastTs;
    this.#orders = before.orders;
    this.#sum = before.sum;
    this.#squares = before.squares;
    this.#spanMs = before.spanMs;
    if (since.orders === 0) return;
    this.#passTo(since.lastTs);
    this.#lastTs = Math.max(this.#lastTs, since.lastTs);
    this.#orders += since.orders;
    this.#sum += since.sum;
    this.#squares += since.squares;
  }

  /** Expected orders of at least this size per day of the coin; unknown while too few have been seen. */
  perDay(notionalUsd: number): number | undefined {
    if (this.#orders < ORDERS_MIN || this.#spanMs === 0) return undefined;
    const { mean, deviation } = this.#shape();
    if (deviation === 0) return undefined;
    const tail = normalTail((Math.log(notionalUsd) - mean) / deviation);
    return (tail * this.#orders * DAY_MS) / this.#spanMs;
  }

  #passTo(ts: number): void {
    const passedMs = this.#lastTs === 0 ? 0 : Math.min(SILENCE_MAX_MS, ts - this.#lastTs);
    this.#lastTs = ts;
    if (passedMs <= 0) return;
    const left = Math.exp(-passedMs / MEMORY_MS);
    this.#orders *= left;
    this.#sum *= left;
    this.#squares *= left;
    this.#spanMs = this.#spanMs * left + MEMORY_MS * (1 - left);
  }

  #shape(): { readonly mean: number; readonly deviation: number } {
    const mean = this.#sum / this.#orders;
    return { mean, deviation: Math.sqrt(Math.max(0, this.#squares / this.#orders - mean * mean)) };
  }
}

/** The share of a normal distribution above this many deviations: Abramowitz and Stegun 26.2.17, error below 7.5e-8. */
function normalTail(deviations: number): number {
  const x = Math.abs(deviations);
  const t = 1 / (1 + 0.2316419 * x);
  const poly =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const above = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * poly;
  return deviations < 0 ? 1 - above : above;
}
