import { readArray, readInteger, readIsoTime, readObject, readSum } from '../reading.ts';
import { rowPrices } from '../row-candle.ts';
import { venueCandles } from '../venue-candles.ts';

const RESOLUTIONS = { '1m': '1MIN', '1h': '1HOUR' } as const;
const ROWS_MAX = 1000;

/**
 * The candles of a market [D]:
 * ```json
 * {"candles":[{"startedAt":"2025-07-25T09:47:00.000Z","ticker":"BTC-USD","resolution":"1MIN","low":"116099",
 *   "high":"116099","open":"116099","close":"116099","baseTokenVolume":"0","usdVolume":"0","trades":0,
 *   "startingOpenInterest":"54.0594"}]}
 * ```
 * Newest first; `trades` counts fills as the socket sends them [D]. Some intervals without a trade have a row [C].
 * https://docs.dydx.xyz/indexer-client/http#get-candles
 */
export const candles = venueCandles({
  weight: 1,
  rowsMax: ROWS_MAX,
  proves: ['prices', 'volume', 'trades'],
  order: 'newestFirst',
  request: ({ market: { symbol }, interval, fromMs, toMs }) => ({
    method: 'GET',
    path: `/v4/candles/perpetualMarkets/${encodeURIComponent(symbol)}?resolution=${RESOLUTIONS[interval]}&fromISO=${new Date(fromMs).toISOString()}&toISO=${new Date(toMs).toISOString()}&limit=${ROWS_MAX}`,
  }),
  rows: (body) => readArray(readObject(body, 'answer').candles, 'candles'),
  candle: (row, what) => {
    const { startedAt, open, high, low, close, baseTokenVolume, usdVolume, trades } = readObject(row, what);
    return {
      ts: readIsoTime(startedAt, `${what} startedAt`),
      ...rowPrices([open, high, low, close], what),
      volume: readSum(baseTokenVolume, `${what} baseTokenVolume`),
      notional: readSum(usdVolume, `${what} usdVolume`),
      trades: readInteger(trades, `${what} trades`),
    };
  },
});
