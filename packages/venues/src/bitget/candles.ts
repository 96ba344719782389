import { readArray, readIntegerText, readSum } from '../reading.ts';
import { rowPrices } from '../row-candle.ts';
import { venueCandles } from '../venue-candles.ts';
import { unwrap } from './answer.ts';
import { productOf } from './product.ts';

const GRANULARITIES = { '1m': '1m', '1h': '1H' } as const;
const ROWS_MAX = 1000;

/**
 * The recent candles of a contract:
 * ```json
 * {"code":"00000","msg":"success","requestTime":1695865615662,"data":[["1695835800000","26210.5","26210.5","26194.5",
 *   "26194.5","26.26","687897.63"]]}
 * ```
 * Begin, prices, volume in coins, worth; oldest first. Shape [C]. This call has a month of minutes and 83 days of
 * hours [C]; what is older needs another one, of 200 rows. Whether prices are those of trades alone is not known [K].
 * https://www.bitget.com/api-doc/contract/market/Get-Candle-Data
 */
export const candles = venueCandles({
  weight: 1,
  rowsMax: ROWS_MAX,
  newestMax: { '1m': 30 * 1440, '1h': 83 * 24 },
  proves: ['volume'],
  order: 'oldestFirst',
  request: ({ market: { symbol }, interval, fromMs, toMs }) => ({
    method: 'GET',
    path: `/api/v2/mix/market/candles?productType=${productOf(symbol)}&symbol=${encodeURIComponent(symbol)}&granularity=${GRANULARITIES[interval]}&startTime=${fromMs}&endTime=${toMs - 1}&limit=${ROWS_MAX}`,
  }),
  rows: (body) => readArray(unwrap(body), 'data'),
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
