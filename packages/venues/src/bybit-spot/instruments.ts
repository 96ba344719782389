import type { Instrument } from '@crosstape/core';
import { readResult } from '../bybit/answer.ts';
import { type Fields, readArray, readObject, MOST, readRows, readText, readTick } from '../reading.ts';
import { splitPair } from '../spot-pairs.ts';
import type { Resource } from '../venue.ts';

/**
 * Every pair in one answer: those of this category do not come in pages [D].
 * ```json
 * {"retCode":0,"retMsg":"OK","result":{"category":"spot","list":[{"symbol":"BTCUSDT","baseCoin":"BTC","quoteCoin":"USDT",
 *   "innovation":"0","status":"Trading","marginTrading":"utaOnly","stTag":"0","lotSizeFilter":{"basePrecision":"0.000001",
 *   "quotePrecision":"0.0000001","minOrderQty":"0.000011","maxOrderQty":"83","minOrderAmt":"5","maxOrderAmt":"8000000"},
 *   "priceFilter":{"tickSize":"0.1"},"riskParameters":{"priceLimitRatioX":"0.005","priceLimitRatioY":"0.01"}}]},
 *   "retExtInfo":{},"time":1672712468011}
 * ```
 * https://bybit-exchange.github.io/docs/v5/market/instrument
 */
export const instruments: Resource = {
  name: 'instruments',
  polled: 'always',
  everyMs: 600_000,
  gives: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/v5/market/instruments-info?category=spot' },
  parse(body) {
    const list = readArray(readResult(body).list, 'list');
    const { rows, refused } = readRows(list.length, (i) => parsePair(list[i], `list[${i}]`), MOST);
    return { instruments: rows, refused };
  },
};

function parsePair(row: unknown, what: string): Instrument | undefined {
  const listed = readObject(row, what);
  const symbol = readText(listed.symbol, `${what}.symbol`);
  const pair = splitPair(symbol);
  if (!pair || (listed.status ?? 'Trading') !== 'Trading') return undefined;
  const { tickSize } = Object(listed.priceFilter) as Fields;
  return { ...pair, symbol, ...readTick(tickSize) };
}
