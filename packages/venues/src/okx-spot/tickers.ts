import type { SpotTicker } from '@crosstape/core';
import { readAnswer } from '../okx/answer.ts';
import {
  notNegative,
  readDecimal,
  readIntegerText,
  readObject,
  readPositiveDecimal,
  readRows,
  readText,
} from '../reading.ts';
import { changePct, readSide, sidesOf } from '../spot-pairs.ts';
import type { Resource } from '../venue.ts';
import { splitInstId } from './inst-id.ts';

/**
 * Every spot pair in one call [D]:
 * ```json
 * {"code":"0","msg":"","data":[{"instType":"SPOT","instId":"BTC-USDT","last":"96512.4","lastSz":"0.0012",
 *   "askPx":"96512.4","askSz":"0.61","bidPx":"96512.3","bidSz":"1.02","open24h":"97010","high24h":"97800.1",
 *   "low24h":"95900","volCcy24h":"512345678.9","vol24h":"5310.22","ts":"1763164800123","sodUtc0":"96800",
 *   "sodUtc8":"96950.5"}]}
 * ```
 * Of spot pairs `vol24h` is in coins and `volCcy24h` in the currency; of contracts it is otherwise. What is not known is
 * an empty text.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-tickers
 */
export const tickers: Resource = {
  name: 'tickers',
  polled: 'always',
  everyMs: 10_000,
  isAligned: true,
  gives: ['spotTickers'],
  weight: 1,
  request: { method: 'GET', path: '/api/v5/market/tickers?instType=SPOT' },
  parse(body) {
    const list = readAnswer(body);
    const { rows, refused } = readRows(list.length, (i) => parseTicker(list[i], `data[${i}]`));
    return { spotTickers: rows, refused };
  },
};

function parseTicker(row: unknown, what: string): SpotTicker | undefined {
  const ticker = readObject(row, what);
  const symbol = readText(ticker.instId, `${what}.instId`);
  const pair = splitInstId(symbol);
  if (!pair || ticker.last === '') return undefined;
  const last = readPositiveDecimal(ticker.last, `${symbol}.last`);
  const open = readSide(ticker.open24h, `${symbol}.open24h`);
  return {
    ...pair,
    symbol,
    last,
    ...sidesOf(readSide(ticker.bidPx, `${symbol}.bidPx`), readSide(ticker.askPx, `${symbol}.askPx`)),
    volume24hCoins: notNegative(readDecimal(ticker.vol24h, `${symbol}.vol24h`), `${symbol}.vol24h`),
    ...(open === undefined ? {} : { change24hPct: changePct(last, open) }),
    venueTs: readIntegerText(ticker.ts, `${symbol}.ts`),
  };
}
