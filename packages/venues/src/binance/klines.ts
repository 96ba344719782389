import { readArray, readInteger, readSum } from '../reading.ts';
import { rowPrices } from '../row-candle.ts';
import { rowsIn, type VenueCandles, venueCandles } from '../venue-candles.ts';
import { readAnswer } from './answer.ts';

const ROWS_MAX = 1000;

/**
 * The candles of contracts and pairs alike [D]:
 * ```json
 * [[1499040000000,"0.01634790","0.80000000","0.01575800","0.01577100","148976.11427815",1499644799999,"2434.19055334",
 *   308,"1756.87402397","28.46694368","0"]]
 * ```
 * Begin, prices, volume, end, worth, number of fills, volume and worth of buying takers, nothing; oldest first. The
 * number is of fills, while we record aggregate trades: it proves nothing. An interval without a trade has a row.
 */
export function klines(path: string, weightOf: (rows: number) => number): VenueCandles {
  return venueCandles({
    weight: weightOf(ROWS_MAX),
    rowsMax: ROWS_MAX,
    proves: ['prices', 'volume', 'buyVolume'],
    order: 'oldestFirst',
    request: (span) => {
      const { market, interval, fromMs, toMs } = span;
      const rows = rowsIn(span);
      const times = `startTime=${fromMs}&endTime=${toMs - 1}&limit=${rows}`;
      return {
        method: 'GET',
        path: `${path}?symbol=${encodeURIComponent(market.symbol)}&interval=${interval}&${times}`,
        weight: weightOf(rows),
      };
    },
    rows: (body) => readArray(readAnswer(body), 'answer'),
    candle: (row, what) => {
      const [ts, open, high, low, close, volume, , notional, , buyVolume] = readArray(row, what);
      return {
        ts: readInteger(ts, `${what} time`),
        ...rowPrices([open, high, low, close], what),
        volume: readSum(volume, `${what} volume`),
        buyVolume: readSum(buyVolume, `${what} volume of buying takers`),
        notional: readSum(notional, `${what} worth`),
      };
    },
  });
}
