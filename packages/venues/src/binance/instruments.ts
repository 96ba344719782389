import type { Instrument } from '@crosstape/core';
import { isGoldToken } from '../gold-tokens.ts';
import { readArray, readObject, MOST, readRows, readText, readTick } from '../reading.ts';
import type { Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';
import { priceFilterOf } from './price-filter.ts';

const SETTLED_IN: readonly unknown[] = ['USDT', 'USDC'];

/**
 * Everything listed, in one answer:
 * ```json
 * {"timezone":"UTC","rateLimits":[{"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1,"limit":2400}],
 *  "symbols":[{"symbol":"BTCUSDT","pair":"BTCUSDT","contractType":"PERPETUAL","deliveryDate":4133404800000,
 *    "onboardDate":1569398400000,"status":"TRADING","baseAsset":"BTC","quoteAsset":"USDT","marginAsset":"USDT",
 *    "pricePrecision":2,"quantityPrecision":3,"underlyingType":"COIN","underlyingSubType":["PoW"],"filters":[…]}]}
 * ```
 * `baseAsset` keeps the prefix of coins that are counted in thousands (`1000PEPE`), and sizes and prices are in that
 * unit [D]. Stocks and the like have `contractType` `TRADIFI_PERPETUAL` [D]; `underlyingType` is `COIN` for what we
 * keep, `INDEX`, `PREMARKET`, `EQUITY`, `COMMODITY` … for what we do not [D for COIN, M for the others].
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Exchange-Information
 */
export const instruments: Resource = {
  name: 'exchangeInfo',
  polled: 'always',
  everyMs: 600_000,
  gives: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/fapi/v1/exchangeInfo' },
  parse(body) {
    const symbols = readArray(readObject(readAnswer(body), 'answer').symbols, 'symbols');
    const { rows, refused } = readRows(symbols.length, (i) => parseSymbol(symbols[i], `symbols[${i}]`), MOST);
    return { instruments: rows, refused };
  },
};

function parseSymbol(row: unknown, what: string): Instrument | undefined {
  const listed = readObject(row, what);
  const symbol = readText(listed.symbol, `${what}.symbol`);
  const { status, contractType, underlyingType, quoteAsset, marginAsset } = listed;
  // First the status: what is no longer traded may have lost its other fields [C].
  if ((status ?? 'TRADING') !== 'TRADING' || (contractType ?? 'PERPETUAL') !== 'PERPETUAL') return undefined;
  const quote = readText(quoteAsset, `${symbol}.quoteAsset`);
  if (!SETTLED_IN.includes(quote) || (marginAsset ?? quote) !== quote) return undefined;
  const coin = readText(listed.baseAsset, `${symbol}.baseAsset`);
  if ((underlyingType ?? 'COIN') !== 'COIN' && !isGoldToken(coin)) return undefined;
  return { symbol, coin, quote, ...readTick(priceFilterOf(listed)?.tickSize) };
}
