import type { SpotTicker } from '@crosstape/core';
import {
  notNegative,
  readArray,
  readInteger,
  readNumber,
  readObject,
  readPositiveNumber,
  readRows,
  readText,
} from '../reading.ts';
import type { Resource } from '../venue.ts';
import { coinOfPair } from './pair.ts';

/**
 * Every pair in won, here without what does not concern us [D]:
 * ```json
 * [{"market":"KRW-BTC","trade_timestamp":1753894995076,"opening_price":163248000.0,"trade_price":162876000.0,
 *   "prev_closing_price":163158000.0,"change":"FALL","signed_change_rate":-0.0017283860,
 *   "acc_trade_volume":844.94369319,"acc_trade_volume_24h":1029.27369910,"timestamp":1753894995113}]
 * ```
 * The change is since midnight UTC and is not taken; the volume is of 24 hours, in coins. Bids and asks are told apart.
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
    const { rows, refused } = readRows(list.length, (i) => parseTicker(list[i], `answer[${i}]`));
    return { spotTickers: rows, refused };
  },
};

function parseTicker(row: unknown, what: string): SpotTicker | undefined {
  const ticker = readObject(row, what);
  const symbol = readText(ticker.market, `${what}.market`);
  const coin = coinOfPair(symbol);
  if (coin === undefined) return undefined;
  const volume = readNumber(ticker.acc_trade_volume_24h, `${symbol}.acc_trade_volume_24h`);
  return {
    coin,
    symbol,
    quote: 'KRW',
    last: readPositiveNumber(ticker.trade_price, `${symbol}.trade_price`),
    volume24hCoins: notNegative(volume, `${symbol}.acc_trade_volume_24h`),
    venueTs: readInteger(ticker.timestamp, `${symbol}.timestamp`),
  };
}
