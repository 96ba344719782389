import { readArray, readInteger, readSum } from '../reading.ts';
import { rowPrices } from '../row-candle.ts';
import { venueCandles } from '../venue-candles.ts';
import { readAnswer } from './answer.ts';

const MINUTES = { '1m': 1, '1h': 60 } as const;
/** The venue has no older ones, whatever `since` [D]. */
const NEWEST_MAX = 720;

/**
 * The newest bars of a pair; the shape is that of `ohlc.ts`: begin in seconds, open, high, low, close, mean price,
 * volume and number of trades, oldest first, begun after `since` [D].
 * https://docs.kraken.com/api/docs/rest-api/get-ohlc-data
 */
export const candles = venueCandles({
  weight: 1,
  rowsMax: NEWEST_MAX,
  newestMax: { '1m': NEWEST_MAX, '1h': NEWEST_MAX },
  proves: ['prices', 'volume', 'trades'],
  order: 'oldestFirst',
  request: ({ market: { symbol, restSymbol = symbol }, interval, fromMs }) => ({
    method: 'GET',
    path: `/0/public/OHLC?pair=${encodeURIComponent(restSymbol)}&interval=${MINUTES[interval]}&since=${fromMs / 1000 - 1}`,
  }),
  rows: (body, { market: { symbol, restSymbol = symbol } }) =>
    readArray(readAnswer(body)[restSymbol], restSymbol),
  candle: (row, what) => {
    const [time, open, high, low, close, , volume, trades] = readArray(row, what);
    return {
      ts: readInteger(time, `${what} time`) * 1000,
      ...rowPrices([open, high, low, close], what),
      volume: readSum(volume, `${what} volume`),
      trades: readInteger(trades, `${what} count`),
    };
  },
});
