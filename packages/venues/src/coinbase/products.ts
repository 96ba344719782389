import type { Instrument } from '@crosstape/core';
import { readArray, readObject, MOST, readRows, readText, readTick } from '../reading.ts';
import { DOLLARS } from '../spot-pairs.ts';
import type { Resource } from '../venue.ts';

/**
 * Every pair that the venue knows, here without what does not concern us [D]:
 * ```json
 * [{"id":"BTC-USD","base_currency":"BTC","quote_currency":"USD","quote_increment":"0.01",
 *   "base_increment":"0.00000001","display_name":"BTC-USD","min_market_funds":"1","margin_enabled":false,
 *   "post_only":false,"limit_only":false,"cancel_only":false,"status":"online","status_message":"",
 *   "trading_disabled":false,"fx_stablecoin":false,"max_slippage_percentage":"0.02000000","auction_mode":false}]
 * ```
 * https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-all-known-trading-pairs
 */
export const products: Resource = {
  name: 'products',
  polled: 'always',
  everyMs: 600_000,
  gives: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/products' },
  parse(body) {
    const listed = readArray(body, 'products');
    const { rows, refused } = readRows(listed.length, (i) => parseProduct(listed[i], `products[${i}]`), MOST);
    return { instruments: rows, refused };
  },
};

function parseProduct(row: unknown, what: string): Instrument | undefined {
  const product = readObject(row, what);
  const symbol = readText(product.id, `${what}.id`);
  const [base, second] = symbol.split('-');
  const quote = product.quote_currency ?? second;
  const { status, trading_disabled: isDisabled } = product;
  if ((status ?? 'online') !== 'online' || isDisabled === true || !DOLLARS.has(quote)) return undefined;
  const coin = readText(product.base_currency ?? base, `${symbol}.base_currency`);
  const tick = readTick(product.quote_increment);
  return { symbol, quote: readText(quote, `${symbol}.quote_currency`), coin, ...tick };
}
