import { ExactSum } from './exact-sum.ts';
import type { Kline } from './klines.ts';

/** Decimals of sizes, and of prices: more than any venue prints. */
const SIZE_DECIMALS = 8;
const PRICE_DECIMALS = 14;
const SIZE_UNIT = 10 ** SIZE_DECIMALS;

/** The trades of an interval as a kline, added up exactly. */
export class KlineCounter {
  readonly #prices = new Map<number, bigint>();
  #open = 0;
  #high = Number.NEGATIVE_INFINITY;
  #low = Number.POSITIVE_INFINITY;
  #close = 0;
  #trades = 0;
  #size = 0n;
  #notional = 0n;
  #buySize = 0n;
  #buyNotional = 0n;

  add({ price, size }: { readonly price: number; readonly size: number }, isBuy: boolean): void {
    if (this.#trades === 0) this.#open = price;
    this.#high = Math.max(this.#high, price);
    this.#low = Math.min(this.#low, price);
    this.#close = price;
    this.#trades += 1;
    const sized = BigInt(Math.round(size * SIZE_UNIT));
    const worth = sized * this.#unitsOf(price);
    this.#size += sized;
    this.#notional += worth;
    if (!isBuy) return;
    this.#buySize += sized;
    this.#buyNotional += worth;
  }

  /** `undefined` without a trade. */
  finish(openMs: number): Kline | undefined {
    if (this.#trades === 0) return undefined;
    const worth = (units: bigint): ExactSum => new ExactSum(units, SIZE_DECIMALS + PRICE_DECIMALS);
    return {
      openMs,
      open: this.#open,
      high: this.#high,
      low: this.#low,
      close: this.#close,
      size: new ExactSum(this.#size, SIZE_DECIMALS),
      notional: worth(this.#notional),
      trades: this.#trades,
      buySize: new ExactSum(this.#buySize, SIZE_DECIMALS),
      buyNotional: worth(this.#buyNotional),
    };
  }

  /** Prices repeat within a minute. */
  #unitsOf(price: number): bigint {
    let units = this.#prices.get(price);
    if (units === undefined) {
      units = ExactSum.of(price).unitsAt(PRICE_DECIMALS);
      this.#prices.set(price, units);
    }
    return units;
  }
}
