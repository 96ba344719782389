import { readArray, readIntegerText, readSum } from '../reading.ts';
import { rowPrices } from '../row-candle.ts';
import { venueCandles } from '../venue-candles.ts';
import { readAnswer } from './answer.ts';

const BARS = { '1m': '1m', '1h': '1H' } as const;
const ROWS_MAX = 300;

/**
 * Candles of swaps and pairs alike, of years [D, C]:
 * ```json
 * {"code":"0","msg":"","data":[["1597026383085","3.721","3.743","3.677","3.708","8422410","22698348.04828491",
 *   "12698348.04828491","1"]]}
 * ```
 * Begin, prices, volume in contracts (of pairs in coins), volume in coins, worth, and whether it is complete; newest
 * first, begun after `before` and before `after`. An interval without a trade has a row. At most 20 requests in 2 s [D]. The
 * worth shows whether a contract has the size that the list of instruments says.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-candlesticks-history
 */
export const candles = venueCandles({
  weight: 1,
  perMinute: 240,
  rowsMax: ROWS_MAX,
  proves: ['prices', 'volume', 'notional'],
  order: 'newestFirst',
  request: ({ market: { symbol }, interval, fromMs, toMs }) => ({
    method: 'GET',
    path: `/api/v5/market/history-candles?instId=${encodeURIComponent(symbol)}&bar=${BARS[interval]}&before=${fromMs - 1}&after=${toMs}&limit=${ROWS_MAX}`,
  }),
  rows: readAnswer,
  candle: (row, what) => {
    const [ts, open, high, low, close, volume, , notional] = readArray(row, what);
    return {
      ts: readIntegerText(ts, `${what} time`),
      ...rowPrices([open, high, low, close], what),
      volume: readSum(volume, `${what} volume`),
      notional: readSum(notional, `${what} worth`),
    };
  },
});
