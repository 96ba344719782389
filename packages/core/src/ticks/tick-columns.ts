/**
 * Trades of one coin as columns, in tape order, without an object per trade. Prices and sizes are whole numbers:
 * the decimal value times ten to the power of its decimals, always below 2^53. The arrays may be longer than
 * `length`, so that they can be filled again.
 */
export interface TickColumns {
  length: number;
  /** A price is `price[i] / 10 ** priceDecimals`. */
  priceDecimals: number;
  sizeDecimals: number;
  /** Tape time in ms, never decreasing. */
  readonly ts: Float64Array;
  readonly price: Float64Array;
  readonly size: Float64Array;
  /** 1: the taker bought; 0: the taker sold. */
  readonly isBuy: Uint8Array;
  /** 1: belongs to the same taker order as the previous trade. */
  readonly sameOrder: Uint8Array;
}

/** Empty columns for `capacity` trades. */
export function createTickColumns(capacity: number): TickColumns {
  return {
    length: 0,
    priceDecimals: 0,
    sizeDecimals: 0,
    ts: new Float64Array(capacity),
    price: new Float64Array(capacity),
    size: new Float64Array(capacity),
    isBuy: new Uint8Array(capacity),
    sameOrder: new Uint8Array(capacity),
  };
}

/** Index of the first trade at or after a time; `length` if there is none. */
export function firstTickAt({ ts, length }: Pick<TickColumns, 'ts' | 'length'>, at: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ts[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
