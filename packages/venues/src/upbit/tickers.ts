import type { SpotTicker } from '@crosstape/core';
import {
  notNegative,
  present,
  type ReportOdd,
  readArray,
  readInteger,
  readNumber,
  readObject,
  readOptional,
  readPositiveNumber,
  readRows,
  readText,
} from '../reading.ts';
import type { Resource } from '../venue.ts';
import { coinOfPair } from './pair.ts';

/**
 * Every pair in won, abridged [D]:
 * ```json
 * [{"market":"KRW-BTC","trade_timestamp":1753894995076,"opening_price":163248000.0,"trade_price":162876000.0,
 *   "prev_closing_price":163158000.0,"change":"FALL","signed_change_rate":-0.0017283860,
 *   "acc_trade_volume":844.94369319,"acc_trade_volume_24h":1029.27369910,"timestamp":1753894995113}]
 * ```
 * The change is since midnight UTC and is not taken; the volume is of 24 hours, in coins. Bids and asks come from another call.
 * https://docs.upbit.com/kr/reference/list-quote-tickers
 */
export const tickers: Resource = {
  name: 'tickers',
  polled: 'always',
  everyMs: 5_000,
  gives: ['spotTickers'],
  weight: 1,
  request: { method: 'GET', path: '/v1/ticker/all?quote_currencies=KRW' },
  parse(body) {
    const list = readArray(body, 'answer');
    const { rows, refused } = readRows(list.length, (i, odd) => parseTicker(list[i], `answer[${i}]`, odd));
    return { spotTickers: rows, refused };
  },
};

function parseTicker(row: unknown, what: string, odd: ReportOdd): SpotTicker | undefined {
  const ticker = readObject(row, what);
  const symbol = readText(ticker.market, `${what}.market`);
  const coin = coinOfPair(symbol);
  if (coin === undefined) return undefined;
  const { trade_price: last, acc_trade_volume_24h: volume, timestamp } = ticker;
  const amount = (value: unknown, name: string): number => notNegative(readNumber(value, name), name);
  return {
    coin,
    symbol,
    quote: 'KRW',
    last: readPositiveNumber(last, `${symbol}.trade_price`),
    ...present({
      volume24hCoins: readOptional(volume, `${symbol}.acc_trade_volume_24h`, amount, odd),
      venueTs: readOptional(timestamp, `${symbol}.timestamp`, readInteger, odd),
    }),
  };
}
