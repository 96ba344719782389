import { roundTo, type SpotBook } from '@crosstape/core';
import { notNegative, readArray, readInteger, readNumber, readObject, readText } from '../reading.ts';
import { sidesOf } from '../spot-pairs.ts';
import { type Lookup, Malformed } from '../venue.ts';
import { coinOfPair } from './pair.ts';

/** Pairs whose book is always wanted. */
const ALWAYS_WANTED: readonly string[] = ['KRW-BTC', 'KRW-ETH', 'KRW-SOL', 'KRW-XRP', 'KRW-USDT'];
const EVERY_MS = 5_000;
const SIZE_DECIMALS = 8;

/**
 * Up to 30 levels of one pair, the best first, bids and asks side by side [D]:
 * ```json
 * [{"market":"KRW-BTC","timestamp":1753894995113,"total_ask_size":12.89790974,"total_bid_size":4.88395783,
 *   "orderbook_units":[{"ask_price":162900000,"bid_price":162876000,"ask_size":2.57606495,"bid_size":0.214}],
 *   "level":0}]
 * ```
 * Sizes are in coins. What the totals cover is not said, so the levels are summed [K].
 * https://docs.upbit.com/kr/reference/list-orderbooks
 */
export const orderbook: Lookup = {
  name: 'orderbook',
  polled: 'always',
  everyMs: EVERY_MS,
  gives: ['spotBooks'],
  needs: ['spotTickers'],
  weight: 1,
  keys({ spotTickers = [] }, asked) {
    const listed = new Set(spotTickers.map(({ symbol }) => symbol));
    return [...new Set([...ALWAYS_WANTED, ...asked])].filter((symbol) => listed.has(symbol));
  },
  // A few dozen books that somebody asks for take longer than the cadence: those that figures are made from do not wait.
  outdated: (_known, nowMs) => new Map(ALWAYS_WANTED.map((symbol) => [symbol, nowMs - EVERY_MS])),
  // As long as a price is no old one.
  keepMs: 60_000,
  request: (symbol) => ({ method: 'GET', path: `/v1/orderbook?markets=${encodeURIComponent(symbol)}` }),
  parse(body, _receivedAtMs, _known, symbol) {
    const coin = coinOfPair(symbol);
    const book = readObject(readArray(body, 'answer')[0], 'book');
    if (coin === undefined || readText(book.market, 'book.market') !== symbol)
      throw new Malformed(`asked for ${symbol}, told ${String(book.market)}`);
    return {
      spotBooks: [
        {
          coin,
          symbol,
          quote: 'KRW',
          ...readBook(book.orderbook_units, symbol),
          venueTs: readInteger(book.timestamp, `${symbol}.timestamp`),
        },
      ],
    };
  },
};

function readBook(units: unknown, symbol: string): Pick<SpotBook, 'bid' | 'ask' | 'bidSize' | 'askSize'> {
  const rows = readArray(units, `${symbol}.orderbook_units`).map((unit, i) => {
    const level = readObject(unit, `${symbol}.orderbook_units[${i}]`);
    const amount = (field: string): number => {
      const what = `${symbol}.orderbook_units[${i}].${field}`;
      return notNegative(readNumber(level[field], what), what);
    };
    return {
      bid: amount('bid_price'),
      ask: amount('ask_price'),
      bidSize: amount('bid_size'),
      askSize: amount('ask_size'),
    };
  });
  // A level that has only one side has a zero on the other [K].
  const bid = rows.find((row) => row.bid > 0)?.bid;
  const ask = rows.find((row) => row.ask > 0)?.ask;
  const sum = (side: 'bidSize' | 'askSize'): number =>
    roundTo(
      rows.reduce((total, row) => total + row[side], 0),
      SIZE_DECIMALS,
    );
  return { ...sidesOf(bid, ask), bidSize: sum('bidSize'), askSize: sum('askSize') };
}
