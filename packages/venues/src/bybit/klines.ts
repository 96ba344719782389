import { readArray, readIntegerText, readSum } from '../reading.ts';
import { rowPrices } from '../row-candle.ts';
import { type VenueCandles, venueCandles } from '../venue-candles.ts';
import { readResult } from './answer.ts';

const ROWS_MAX = 1000;

/**
 * The candles of one category [D]:
 * ```json
 * {"retCode":0,"retMsg":"OK","result":{"symbol":"BTCUSDT","category":"linear","list":[
 *   ["1670608800000","17071","17073","17027","17055.5","268611","15.74462667"]]},"retExtInfo":{},"time":1672025956592}
 * ```
 * Begin, prices, volume in coins, worth; newest first. A candle opens at the close of the previous one [K], so that prices
 * prove nothing.
 * https://bybit-exchange.github.io/docs/v5/market/kline
 */
export function klines(category: 'linear' | 'spot'): VenueCandles {
  return venueCandles({
    weight: 1,
    rowsMax: ROWS_MAX,
    proves: ['volume'],
    order: 'newestFirst',
    request: ({ market: { symbol }, interval, fromMs, toMs }) => ({
      method: 'GET',
      path: `/v5/market/kline?category=${category}&symbol=${encodeURIComponent(symbol)}&interval=${interval === '1m' ? '1' : '60'}&start=${fromMs}&end=${toMs - 1}&limit=${ROWS_MAX}`,
    }),
    rows: (body) => readArray(readResult(body).list, 'list'),
    candle: (row, what) => {
      const [ts, open, high, low, close, volume, notional] = readArray(row, what);
      return {
        ts: readIntegerText(ts, `${what} time`),
        ...rowPrices([open, high, low, close], what),
        volume: readSum(volume, `${what} volume`),
        notional: readSum(notional, `${what} worth`),
      };
    },
  });
}
