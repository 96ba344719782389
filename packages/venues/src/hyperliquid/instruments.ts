import type { Instrument } from '@crosstape/core';
import { type ReportOdd, readInteger, readObject, readOptional, readText } from '../reading.ts';

/** One row of `meta.universe`; its place in the array is the venue's asset id, so delisted rows stay in. */
export interface Listing extends Instrument {
  readonly isDelisted: boolean;
}

/**
 * `{"type":"meta"}`, and the first half of `metaAndAssetCtxs`:
 * ```json
 * {"universe":[{"szDecimals":5,"name":"BTC","maxLeverage":40,"marginTableId":56},
 *   {"szDecimals":1,"name":"MATIC","maxLeverage":20,"marginTableId":20,"isDelisted":true}],
 *  "marginTables":[[56,{"description":"tiered 40x","marginTiers":[{"lowerBound":"0.0","maxLeverage":40}]}]],
 *  "collateralToken":0}
 * ```
 * Shape as the TypeScript SDK checks it against the live API [S]; not yet probed live by us.
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint/perpetuals
 */
export function parseListing(row: unknown, i: number, odd: ReportOdd): Listing {
  const asset = readObject(row, `universe[${i}]`);
  const name = readText(asset.name, `universe[${i}].name`);
  const sizeDecimals = readOptional(asset.szDecimals, `${name}.szDecimals`, readInteger, odd);
  return {
    symbol: name,
    coin: name,
    // Margined in USDC, priced in dollars.
    quote: 'USD',
    ...(sizeDecimals !== undefined && { sizeDecimals }),
    isDelisted: asset.isDelisted === true,
  };
}

const PRICE_SIGNIFICANT_FIGURES = 5;
const PERP_DECIMALS_MAX = 6;

/**
 * The price increment at a price: at most five significant figures, at most `6 − szDecimals` decimals, whole
 * numbers always allowed [D]. It changes as the price crosses a power of ten, so it is never kept.
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/tick-and-lot-size
 */
export function tickAt(price: number, sizeDecimals: number): number {
  const byFigures = Math.floor(Math.log10(price)) - (PRICE_SIGNIFICANT_FIGURES - 1);
  const byDecimals = -(PERP_DECIMALS_MAX - sizeDecimals);
  const exponent = Math.min(0, Math.max(byFigures, byDecimals));
  return Number(`1e${exponent}`);
}
