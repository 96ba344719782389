/** How prices and sizes are whole numbers: times ten to the power of these. */
export interface Scale {
  readonly priceDecimals: number;
  readonly sizeDecimals: number;
}

/** Most decimals of a price and of a size; a product of both has at most twice as many. */
export const DECIMALS_MAX = 8;
export const NOTIONAL_DECIMALS_MAX = 2 * DECIMALS_MAX;

/** 10^n, exact, for as many decimals as there can be; looked up, because it is needed for every bar. */
export const tens: readonly number[] = Array.from({ length: NOTIONAL_DECIMALS_MAX + 1 }, (_, n) => 10 ** n);
