import { readArray, readExact, readInteger, readObject, readSum } from '../reading.ts';
import { rowsIn, venueCandles } from '../venue-candles.ts';

/** What the venue keeps of each interval [K]. */
const NEWEST_MAX = 5000;
/** Further rows cost a weight of one for each 60 [D]. */
const ROWS_PER_WEIGHT = 60;
const WEIGHT = 20;

/**
 * ```json
 * {"t":1681923600000,"T":1681924499999,"s":"BTC","i":"15m","o":"29295.0","c":"29258.0","h":"29309.0","l":"29250.0",
 *  "v":"0.98639","n":189}
 * ```
 * Begin and end, prices, coins and the number of trades [D]; oldest first. That `n` counts trades as the socket sends them
 * is not confirmed [K], nor that prices are those of trades alone; both are taken to be so.
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint#candle-snapshot
 */
export const candles = venueCandles({
  weight: WEIGHT,
  rowsMax: 1000,
  newestMax: { '1m': NEWEST_MAX, '1h': NEWEST_MAX },
  proves: ['prices', 'volume', 'trades'],
  order: 'oldestFirst',
  request: (span) => {
    const { market, interval, fromMs, toMs } = span;
    const req = { coin: market.symbol, interval, startTime: fromMs, endTime: toMs - 1 };
    return {
      method: 'POST',
      path: '/info',
      body: { type: 'candleSnapshot', req },
      weight: WEIGHT + Math.ceil(rowsIn(span) / ROWS_PER_WEIGHT),
    };
  },
  rows: (body) => readArray(body, 'answer'),
  candle: (row, what) => {
    const { t, o, h, l, c, v, n } = readObject(row, what);
    return {
      ts: readInteger(t, `${what} t`),
      open: readExact(o, `${what} o`),
      high: readExact(h, `${what} h`),
      low: readExact(l, `${what} l`),
      close: readExact(c, `${what} c`),
      volume: readSum(v, `${what} v`),
      trades: readInteger(n, `${what} n`),
    };
  },
});
