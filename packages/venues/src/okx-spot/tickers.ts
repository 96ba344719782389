import type { SpotTicker } from '@crosstape/core';
import { readAnswer } from '../okx/answer.ts';
import {
  present,
  type ReportOdd,
  readAmount,
  readIntegerText,
  readObject,
  readOptional,
  readPositiveDecimal,
  readRows,
  readText,
} from '../reading.ts';
import { changePct, readPrice } from '../spot-pairs.ts';
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
    const { rows, refused } = readRows(list.length, (i, odd) => parseTicker(list[i], `data[${i}]`, odd));
    return { spotTickers: rows, refused };
  },
};

function parseTicker(row: unknown, what: string, odd: ReportOdd): SpotTicker | undefined {
  const ticker = readObject(row, what);
  const symbol = readText(ticker.instId, `${what}.instId`);
  const pair = splitInstId(symbol);
  if (!pair || ticker.last === '') return undefined;
  const last = readPositiveDecimal(ticker.last, `${symbol}.last`);
  const open = readPrice(ticker.open24h, `${symbol}.open24h`, odd);
  return {
    ...pair,
    symbol,
    last,
    ...present({
      bid: readPrice(ticker.bidPx, `${symbol}.bidPx`, odd),
      ask: readPrice(ticker.askPx, `${symbol}.askPx`, odd),
      volume24hCoins: readOptional(ticker.vol24h, `${symbol}.vol24h`, readAmount, odd),
      change24hPct: open === undefined ? undefined : changePct(last, open),
      venueTs: readOptional(ticker.ts, `${symbol}.ts`, readIntegerText, odd),
    }),
  };
}
