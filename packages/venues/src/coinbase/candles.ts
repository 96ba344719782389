import { readArray, readExactNumber, readInteger, readSum } from '../reading.ts';
import { venueCandles } from '../venue-candles.ts';

const GRANULARITIES = { '1m': 60, '1h': 3600 } as const;
const ROWS_MAX = 300;

/**
 * The candles of a product [D]:
 * ```json
 * [[1415398768,0.32,4.2,0.35,4.2,12.3]]
 * ```
 * Begin in seconds, low, high, open, close, volume in coins; newest first, both ends of the span included, without
 * intervals without a trade. A span of more than 300 is refused.
 * https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-candles
 */
export const candles = venueCandles({
  weight: 1,
  rowsMax: ROWS_MAX,
  proves: ['prices', 'volume'],
  order: 'newestFirst',
  request: ({ market: { symbol }, interval, fromMs, toMs }) => ({
    method: 'GET',
    path: `/products/${encodeURIComponent(symbol)}/candles?granularity=${GRANULARITIES[interval]}&start=${fromMs / 1000}&end=${toMs / 1000 - 1}`,
  }),
  rows: (body) => readArray(body, 'answer'),
  candle: (row, what) => {
    const [time, low, high, open, close, volume] = readArray(row, what);
    return {
      ts: readInteger(time, `${what} time`) * 1000,
      open: readExactNumber(open, `${what} open`),
      high: readExactNumber(high, `${what} high`),
      low: readExactNumber(low, `${what} low`),
      close: readExactNumber(close, `${what} close`),
      volume: readSum(volume, `${what} volume`),
    };
  },
});
