import type { Instrument } from '@crosstape/core';
import { readAnswer } from '../binance/answer.ts';
import { priceFilterOf } from '../binance/price-filter.ts';
import { readArray, readObject, MOST, readRows, readText, readTick } from '../reading.ts';
import { splitPair } from '../spot-pairs.ts';
import type { Resource } from '../venue.ts';

/**
 * Every pair that trades, at a weight of 20; without the sets of permissions, which are most of the answer [D]:
 * ```json
 * {"timezone":"UTC","serverTime":1565246363776,"rateLimits":[…],"exchangeFilters":[],"symbols":[{"symbol":"BTCUSDT",
 *   "status":"TRADING","baseAsset":"BTC","baseAssetPrecision":8,"quoteAsset":"USDT","quotePrecision":8,
 *   "quoteAssetPrecision":8,"orderTypes":["LIMIT","MARKET"],"isSpotTradingAllowed":true,"filters":[
 *     {"filterType":"PRICE_FILTER","minPrice":"0.01000000","maxPrice":"1000000.00000000","tickSize":"0.01000000"},
 *     {"filterType":"LOT_SIZE","minQty":"0.00001000","maxQty":"9000.00000000","stepSize":"0.00001000"}]}]}
 * ```
 * https://developers.binance.com/docs/binance-spot-api-docs/rest-api/general-endpoints#exchange-information
 */
export const exchangeInfo: Resource = {
  name: 'exchangeInfo',
  polled: 'always',
  everyMs: 600_000,
  gives: ['instruments'],
  weight: 20,
  request: {
    method: 'GET',
    path: '/api/v3/exchangeInfo?symbolStatus=TRADING&showPermissionSets=false',
  },
  parse(body) {
    const symbols = readArray(readObject(readAnswer(body), 'answer').symbols, 'symbols');
    const { rows, refused } = readRows(symbols.length, (i) => parseSymbol(symbols[i], `symbols[${i}]`), MOST);
    return { instruments: rows, refused };
  },
};

function parseSymbol(row: unknown, what: string): Instrument | undefined {
  const listed = readObject(row, what);
  const symbol = readText(listed.symbol, `${what}.symbol`);
  const pair = splitPair(symbol);
  if (!pair || (listed.status ?? 'TRADING') !== 'TRADING') return undefined;
  return { ...pair, symbol, ...readTick(priceFilterOf(listed)?.tickSize) };
}
