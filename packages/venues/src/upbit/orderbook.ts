import { roundTo, type SpotBook, type SpotTicker } from '@crosstape/core';
import {
  notNegative,
  present,
  readArray,
  readInteger,
  readNumber,
  readObject,
  readOptional,
  readRows,
  readText,
} from '../reading.ts';
import { type Lookup, Malformed } from '../venue.ts';
import { coinOfPair } from './pair.ts';

/** Coins whose books are always wanted, beside those that are followed. */
const ALWAYS_WANTED: readonly string[] = ['BTC', 'ETH', 'SOL', 'XRP', 'USDT'];
const SIZE_DECIMALS = 8;
/** As long as a price counts as fresh. */
const KEEP_MS = 60_000;
/** As the prices of the same venue. Three polls would be 3 s: one slow answer would call the books stale. */
const FOLLOWED_FRESH_MS = 15_000;

/**
 * Up to 30 levels of each pair, the best first, bids and asks side by side [D]:
 * ```json
 * [{"market":"KRW-BTC","timestamp":1753894995113,"total_ask_size":12.89790974,"total_bid_size":4.88395783,
 *   "orderbook_units":[{"ask_price":162900000,"bid_price":162876000,"ask_size":2.57606495,"bid_size":0.214}],
 *   "level":0}]
 * ```
 * Sizes are in coins. What the totals cover is not said, so the levels are summed [K]. Of a list with a pair that is not
 * listed nothing is answered [D].
 * https://docs.upbit.com/kr/reference/list-orderbooks
 */
const lookup = {
  gives: ['spotBooks'],
  needs: ['spotTickers'],
  weight: 1,
  keepMs: KEEP_MS,
  request: (key) => ({
    method: 'GET',
    path: `/v1/orderbook?markets=${key.split(',').map(encodeURIComponent).join(',')}`,
  }),
  parse(body, receivedAtMs, _known, key) {
    const list = readArray(body, 'answer');
    const symbols = key.split(',');
    const { rows, refused } = readRows(list.length, (i, odd): SpotBook | undefined => {
      const book = readObject(list[i], `answer[${i}]`);
      const symbol = readText(book.market, `answer[${i}].market`);
      const coin = coinOfPair(symbol);
      if (coin === undefined || !symbols.includes(symbol)) return undefined;
      const venueTs = readOptional(book.timestamp, `${symbol}.timestamp`, readInteger, odd) ?? receivedAtMs;
      return { coin, symbol, quote: 'KRW', ...readBook(book.orderbook_units, symbol), venueTs };
    });
    if (rows.length === 0) {
      const got = list.length === 0 ? 'nothing' : (refused[0] ?? 'other pairs');
      throw new Malformed(`requested ${key}, got ${got}`);
    }
    return { spotBooks: rows, refused };
  },
} as const satisfies Partial<Lookup>;

/** The books that premiums are made from: all in one request each second, so that they are of the same moment. */
export function followedBooks(coins: readonly string[]): Lookup {
  return {
    ...lookup,
    name: 'orderbook',
    polled: 'always',
    everyMs: 1_000,
    freshMs: FOLLOWED_FRESH_MS,
    isAligned: true,
    keys({ spotTickers = [] }) {
      const symbols = followedPairs(coins, spotTickers);
      return symbols.length > 0 ? [symbols.join(',')] : [];
    },
  };
}

/** The books of other coins, one by one while they are requested. */
export function otherBooks(coins: readonly string[]): Lookup {
  return {
    ...lookup,
    name: 'asked-orderbook',
    polled: 'demand',
    everyMs: 5_000,
    // The rest of the venue's limit is for the books that are followed.
    perMinute: 100,
    atOnce: 4,
    keys({ spotTickers = [] }, asked) {
      const followed = new Set(followedPairs(coins, spotTickers));
      const listed = new Set(spotTickers.map(({ symbol }) => symbol));
      return asked.filter((symbol) => listed.has(symbol) && !followed.has(symbol));
    },
  };
}

/** `coins` are spelled as the primary venue does: `kPEPE` is a thousand PEPE. */
function followedPairs(coins: readonly string[], listed: readonly SpotTicker[]): readonly string[] {
  const wanted = new Set([...ALWAYS_WANTED, ...coins.map((coin) => coin.replace(/^k(?=[A-Z])/, ''))]);
  return listed.filter(({ coin }) => wanted.has(coin)).map(({ symbol }) => symbol);
}

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
  return { ...present({ bid, ask }), bidSize: sum('bidSize'), askSize: sum('askSize') };
}
