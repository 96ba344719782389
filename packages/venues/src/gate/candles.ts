import { readInteger, readObject, readSum } from '../reading.ts';
import { rowPrices } from '../row-candle.ts';
import { venueCandles } from '../venue-candles.ts';
import { readList, SIZE_HEADERS } from './answer.ts';

/** Points back that the venue answers [K]; its documents say so of spot pairs. */
const NEWEST_MAX = 10_000;

/**
 * The candles of a contract [D]:
 * ```json
 * [{"t":1539852480,"v":"97151","c":"1.032","h":"1.032","l":"1.032","o":"1.032","sum":"3580"}]
 * ```
 * Begin in seconds, volume in contracts, prices, worth; oldest first, both ends of the span included. An interval without
 * a trade has a row. The worth shows whether a contract has the size that the list of contracts says.
 * https://www.gate.com/docs/developers/apiv4/en/#futures-market-k-line-chart
 */
export const candles = venueCandles({
  weight: 1,
  rowsMax: 1000,
  newestMax: { '1m': NEWEST_MAX, '1h': NEWEST_MAX },
  proves: ['prices', 'volume', 'notional'],
  order: 'oldestFirst',
  request: ({ market: { symbol }, interval, fromMs, toMs }) => ({
    method: 'GET',
    path: `/api/v4/futures/usdt/candlesticks?contract=${encodeURIComponent(symbol)}&interval=${interval}&from=${fromMs / 1000}&to=${toMs / 1000 - 1}`,
    headers: SIZE_HEADERS,
  }),
  rows: readList,
  candle: (row, what) => {
    const { t, o, h, l, c, v, sum } = readObject(row, what);
    return {
      ts: readInteger(t, `${what} t`) * 1000,
      ...rowPrices([o, h, l, c], what),
      volume: readSum(v, `${what} v`),
      notional: readSum(sum, `${what} sum`),
    };
  },
});
