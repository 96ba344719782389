import type { Instrument, SpotTicker } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import {
  present,
  type ReportOdd,
  readAmount,
  readArray,
  readObject,
  readOptional,
  readPositiveDecimal,
  readRows,
} from '../reading.ts';
import { readPrice } from '../spot-pairs.ts';
import type { Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

/**
 * Every pair in one call [D, M]:
 * ```json
 * {"error":[],"result":{"XBTUSDT":{"a":["105944.30000","1","1.000"],"b":["105944.20000","1","1.000"],
 *   "c":["105899.40000","0.00009443"],"v":["0.78648221","163.28908096"],"p":["105960.64756","105904.39279"],
 *   "t":[35,3276],"l":["105853.50000","104711.00000"],"h":["106112.00000","106613.10000"],"o":"106021.60000"}}}
 * ```
 * `a` and `b` begin with the price, `c` is the last trade; of `v` the first is since midnight UTC, the second of the last
 * 24 hours. `o` is the price at midnight and says nothing of a day ago. There is no time.
 * https://docs.kraken.com/api/docs/rest-api/get-ticker-information
 */
export const tickers: Resource = {
  name: 'tickers',
  polled: 'always',
  everyMs: 10_000,
  isAligned: true,
  gives: ['spotTickers'],
  needs: ['instruments'],
  weight: 1,
  request: { method: 'GET', path: '/0/public/Ticker' },
  parse(body, _receivedAtMs, known) {
    const listed = bySymbol(known.instruments);
    const pairs = Object.entries(readAnswer(body));
    const { rows, refused } = readRows(pairs.length, (i, odd) => {
      const [symbol = '', ticker] = pairs[i] ?? [];
      const instrument = listed.get(symbol);
      return instrument && parseTicker(ticker, instrument, odd);
    });
    return { spotTickers: rows, refused };
  },
};

function parseTicker(
  row: unknown,
  { coin, symbol, quote = '' }: Instrument,
  odd: ReportOdd,
): SpotTicker | undefined {
  const { a, b, c, v } = readObject(row, symbol);
  const [last] = readArray(c, `${symbol}.c`);
  // One that never traded.
  if (Number(last) === 0) return undefined;
  const at = (value: unknown, what: string, index: number): unknown =>
    readOptional(value, `${symbol}.${what}`, readArray, odd)?.[index];
  return {
    coin,
    symbol,
    quote,
    last: readPositiveDecimal(last, `${symbol}.c[0]`),
    ...present({
      bid: readPrice(at(b, 'b', 0), `${symbol}.b[0]`, odd),
      ask: readPrice(at(a, 'a', 0), `${symbol}.a[0]`, odd),
      volume24hCoins: readOptional(at(v, 'v', 1), `${symbol}.v[1]`, readAmount, odd),
    }),
  };
}
