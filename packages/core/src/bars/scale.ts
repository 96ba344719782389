/** Scale of prices and sizes as integers: powers of ten. */
export interface Scale {
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
}

/** Most decimals of a price and of a size; a product of both has at most twice as many. */
export const DECIMALS_MAX = 8;
export const NOTIONAL_DECIMALS_MAX = 2 * DECIMALS_MAX;

/** 10^n, exact, for all supported decimals; a table, because every bar needs it. */
export const tens: readonly number[] = Array.from({ length: NOTIONAL_DECIMALS_MAX + 1 }, (_, n) => 10 ** n);
