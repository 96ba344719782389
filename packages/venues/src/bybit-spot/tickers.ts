import type { SpotTicker } from '@crosstape/core';
import { readResult } from '../bybit/answer.ts';
import {
  present,
  type ReportOdd,
  readAmount,
  readArray,
  readInteger,
  readObject,
  readOptional,
  readPositiveDecimal,
  readRows,
  readText,
} from '../reading.ts';
import { changePct, readPrice, splitPair } from '../spot-pairs.ts';
import type { Resource } from '../venue.ts';

/**
 * Every spot pair in one call [D]:
 * ```json
 * {"retCode":0,"retMsg":"OK","result":{"category":"spot","list":[{"symbol":"BTCUSDT","bid1Price":"20517.96",
 *   "bid1Size":"2","ask1Price":"20527.77","ask1Size":"1.862172","lastPrice":"20533.13","prevPrice24h":"20393.48",
 *   "price24hPcnt":"0.0068","highPrice24h":"21128.12","lowPrice24h":"20318.89","turnover24h":"243765620.65",
 *   "volume24h":"11801.27771","usdIndexPrice":"20784.12009279"}]},"retExtInfo":{},"time":1672376496682}
 * ```
 * The volume is in coins. `price24hPcnt` is a fraction of few decimals: the price of a day ago is more exact. Pairs have no
 * time of their own: that of the answer is theirs.
 * https://bybit-exchange.github.io/docs/v5/market/tickers
 */
export const tickers: Resource = {
  name: 'tickers',
  polled: 'always',
  everyMs: 10_000,
  isAligned: true,
  gives: ['spotTickers'],
  weight: 1,
  request: { method: 'GET', path: '/v5/market/tickers?category=spot' },
  parse(body) {
    const list = readArray(readResult(body).list, 'list');
    const { time } = readObject(body, 'answer');
    const { rows, refused } = readRows(list.length, (i, odd) => {
      const venueTs = readOptional(time, 'time', readInteger, odd);
      return parseTicker(list[i], `list[${i}]`, venueTs, odd);
    });
    return { spotTickers: rows, refused: [...new Set(refused)] };
  },
};

function parseTicker(
  row: unknown,
  what: string,
  venueTs: number | undefined,
  odd: ReportOdd,
): SpotTicker | undefined {
  const ticker = readObject(row, what);
  const symbol = readText(ticker.symbol, `${what}.symbol`);
  const pair = splitPair(symbol);
  if (!pair || ticker.lastPrice === '' || Number(ticker.lastPrice) === 0) return undefined;
  const last = readPositiveDecimal(ticker.lastPrice, `${symbol}.lastPrice`);
  const before = readPrice(ticker.prevPrice24h, `${symbol}.prevPrice24h`, odd);
  return {
    ...pair,
    symbol,
    last,
    ...present({
      bid: readPrice(ticker.bid1Price, `${symbol}.bid1Price`, odd),
      ask: readPrice(ticker.ask1Price, `${symbol}.ask1Price`, odd),
      volume24hCoins: readOptional(ticker.volume24h, `${symbol}.volume24h`, readAmount, odd),
      change24hPct: before === undefined ? undefined : changePct(last, before),
      venueTs,
    }),
  };
}
