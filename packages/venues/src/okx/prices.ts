import { bySymbol } from '../by-symbol.ts';
import { present, readObject, readPositiveDecimal, readRows, readText } from '../reading.ts';
import type { Resource, VenueRequest } from '../venue.ts';
import { readAnswer } from './answer.ts';

/**
 * The mark of every swap; its index comes from another call:
 * ```json
 * {"instId":"BTC-USDT-SWAP","instType":"SWAP","markPx":"103901.2","ts":"1763164800123"}
 * ```
 * Shape [C, N]; 10 requests in 2 s [M, N].
 * https://www.okx.com/docs-v5/en/#public-data-rest-api-get-mark-price
 */
export const markPrices: Resource = {
  name: 'mark-price',
  polled: 'always',
  everyMs: 30_000,
  gives: ['prices'],
  needs: ['instruments'],
  prefers: ['indexPrices'],
  weight: 1,
  request: { method: 'GET', path: '/api/v5/public/mark-price?instType=SWAP' },
  parse(body, _receivedAtMs, known) {
    const ours = bySymbol(known.instruments);
    const indexes = bySymbol(known.indexPrices);
    const data = readAnswer(body);
    const { rows, refused } = readRows(data.length, (i) => {
      const row = readObject(data[i], 'mark price');
      const symbol = readText(row.instId, 'instId');
      const instrument = ours.get(symbol);
      if (!instrument) return undefined;
      return {
        coin: instrument.coin,
        symbol,
        mark: readPositiveDecimal(row.markPx, `${symbol}.markPx`),
        ...present({ index: indexes.get(symbol)?.index }),
      };
    });
    return { prices: rows, refused };
  },
};

/**
 * The index of every pair with that quote coin, also of pairs without a swap:
 * ```json
 * {"high24h":"104512.3","idxPx":"103895","instId":"BTC-USDT","low24h":"101200.4","open24h":"102333.1","sodUtc0":"102500",
 *  "sodUtc8":"102900","ts":"1763164800123"}
 * ```
 * Shape [C, M]; that `USDC` is a quote coin of its own [K]; 20 requests in 2 s [M, N].
 * https://www.okx.com/docs-v5/en/#public-data-rest-api-get-index-tickers
 */
export const indexTickers: Resource = {
  name: 'index-tickers',
  polled: 'always',
  everyMs: 30_000,
  gives: ['indexPrices'],
  needs: ['instruments'],
  weight: 1,
  request: askIndexes('USDT'),
  parse(body, _receivedAtMs, known) {
    const ours = bySymbol(known.instruments);
    const data = readAnswer(body);
    let isFirst = false;
    const { rows, refused } = readRows(data.length, (i) => {
      const row = readObject(data[i], 'index');
      const pair = readText(row.instId, 'instId');
      isFirst ||= pair.endsWith('-USDT');
      const symbol = `${pair}-SWAP`;
      const instrument = ours.get(symbol);
      if (!instrument) return undefined;
      return { coin: instrument.coin, symbol, index: readPositiveDecimal(row.idxPx, `${pair}.idxPx`) };
    });
    return { indexPrices: rows, refused, ...(isFirst ? { more: askIndexes('USDC') } : {}) };
  },
};

function askIndexes(quote: 'USDT' | 'USDC'): VenueRequest {
  return { method: 'GET', path: `/api/v5/market/index-tickers?quoteCcy=${quote}` };
}
