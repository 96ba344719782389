import { readArray, readInteger, readObject, readSum } from '../reading.ts';
import { rowPrices } from '../row-candle.ts';
import { venueCandles } from '../venue-candles.ts';
import { readAnswer } from './answer.ts';

/**
 * The candles of a contract's trades [D]:
 * ```json
 * {"candles":[{"time":1680624000000,"open":"28050.0","high":"28150","low":"28020","close":"28100","volume":"12.3"}],
 *  "more_candles":false}
 * ```
 * Begin, prices, volume in coins, which one reader has seen as a number [C]; oldest first, at most 2,000 [C]. `from` and
 * `to` are in seconds. That an interval without a trade has a row is not sure [K].
 * https://docs.kraken.com/api/docs/futures-api/charts/candles
 */
export const candles = venueCandles({
  weight: 1,
  perMinute: 60,
  rowsMax: 1000,
  proves: ['prices', 'volume'],
  order: 'oldestFirst',
  request: ({ market: { symbol }, interval, fromMs, toMs }) => ({
    method: 'GET',
    path: `/api/charts/v1/trade/${encodeURIComponent(symbol)}/${interval}?from=${fromMs / 1000}&to=${toMs / 1000 - 1}`,
  }),
  rows: (body) => readArray(readAnswer(body).candles, 'candles'),
  candle: (row, what) => {
    const { time, open, high, low, close, volume } = readObject(row, what);
    return {
      ts: readInteger(time, `${what} time`),
      ...rowPrices([open, high, low, close], what),
      volume: readSum(volume, `${what} volume`),
    };
  },
});
