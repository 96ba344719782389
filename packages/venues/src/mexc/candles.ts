import { readArray, readExactNumber, readInteger, readObject, readSum } from '../reading.ts';
import { venueCandles } from '../venue-candles.ts';
import { readAnswer } from './answer.ts';

const INTERVALS = { '1m': 'Min1', '1h': 'Min60' } as const;
const COLUMNS = ['time', 'open', 'high', 'low', 'close', 'vol', 'amount'] as const;

/**
 * The candles of a contract, column by column:
 * ```json
 * {"success":true,"code":0,"data":{"time":[1634052300],"open":[3492.2],"close":[3491.3],"high":[3495.85],
 *   "low":[3491.3],"vol":[1740.0],"amount":[60793.623]}}
 * ```
 * Begin in seconds, prices, volume in contracts, worth; oldest first, at most 2,000. Shape [C]. Whether prices are those
 * of trades alone is not known [K]. The worth shows whether a contract has the size that the list of contracts says.
 * https://www.mexc.com/api-docs/futures/market-endpoints
 */
export const candles = venueCandles({
  weight: 1,
  rowsMax: 1000,
  proves: ['volume', 'notional'],
  order: 'oldestFirst',
  request: ({ market: { symbol }, interval, fromMs, toMs }) => ({
    method: 'GET',
    path: `/api/v1/contract/kline/${encodeURIComponent(symbol)}?interval=${INTERVALS[interval]}&start=${fromMs / 1000}&end=${toMs / 1000 - 1}`,
  }),
  rows: (body) => {
    const data = readObject(readAnswer(body), 'data');
    const columns = COLUMNS.map((name) => readArray(data[name], name));
    return (columns[0] ?? []).map((_, i) => columns.map((column) => column[i]));
  },
  candle: (row, what) => {
    const [time, open, high, low, close, volume, notional] = readArray(row, what);
    return {
      ts: readInteger(time, `${what} time`) * 1000,
      open: readExactNumber(open, `${what} open`),
      high: readExactNumber(high, `${what} high`),
      low: readExactNumber(low, `${what} low`),
      close: readExactNumber(close, `${what} close`),
      volume: readSum(volume, `${what} vol`),
      notional: readSum(notional, `${what} amount`),
    };
  },
});
