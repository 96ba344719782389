import type { SpotTicker } from '@crosstape/core';
import { readAnswer } from '../binance/answer.ts';
import {
  present,
  type ReportOdd,
  readAmount,
  readArray,
  readDecimal,
  readInteger,
  readObject,
  readOptional,
  readPositiveDecimal,
  readRows,
  readText,
} from '../reading.ts';
import { readPrice, splitPair } from '../spot-pairs.ts';
import type { Resource } from '../venue.ts';

/**
 * The last 24 hours of every pair that trades, at a weight of 80 [D]:
 * ```json
 * [{"symbol":"BTCUSDT","priceChange":"-188.18000000","priceChangePercent":"-0.159",
 *   "weightedAvgPrice":"118356.64734074","prevClosePrice":"118637.22000000","lastPrice":"118449.03000000",
 *   "lastQty":"0.00731000","bidPrice":"118449.02000000","bidQty":"7.15931000","askPrice":"118449.03000000",
 *   "askQty":"0.09592000","openPrice":"118637.21000000","highPrice":"119273.36000000",
 *   "lowPrice":"117427.50000000","volume":"14741.41491000","quoteVolume":"1744744445.80640740",
 *   "openTime":1753701474013,"closeTime":1753787874013,"firstId":5116031635,"lastId":5117964946,"count":1933312}]
 * ```
 * The change is in percent, the volume in coins; `closeTime` is the end of the 24 hours. A side of the book that is
 * empty is a zero.
 * https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints
 */
export const tickers: Resource = {
  name: 'tickers',
  polled: 'always',
  everyMs: 10_000,
  isAligned: true,
  gives: ['spotTickers'],
  weight: 80,
  request: { method: 'GET', path: '/api/v3/ticker/24hr?symbolStatus=TRADING' },
  parse(body) {
    const list = readArray(readAnswer(body), 'answer');
    const { rows, refused } = readRows(list.length, (i, odd) => parseTicker(list[i], `answer[${i}]`, odd));
    return { spotTickers: rows, refused };
  },
};

function parseTicker(row: unknown, what: string, odd: ReportOdd): SpotTicker | undefined {
  const ticker = readObject(row, what);
  const symbol = readText(ticker.symbol, `${what}.symbol`);
  const pair = splitPair(symbol);
  // One that never traded has no price yet.
  if (!pair || Number(ticker.lastPrice) === 0) return undefined;
  const { lastPrice, bidPrice, askPrice, volume, priceChangePercent, closeTime } = ticker;
  return {
    ...pair,
    symbol,
    last: readPositiveDecimal(lastPrice, `${symbol}.lastPrice`),
    ...present({
      bid: readPrice(bidPrice, `${symbol}.bidPrice`, odd),
      ask: readPrice(askPrice, `${symbol}.askPrice`, odd),
      volume24hCoins: readOptional(volume, `${symbol}.volume`, readAmount, odd),
      change24hPct: readOptional(priceChangePercent, `${symbol}.priceChangePercent`, readDecimal, odd),
      venueTs: readOptional(closeTime, `${symbol}.closeTime`, readInteger, odd),
    }),
  };
}
