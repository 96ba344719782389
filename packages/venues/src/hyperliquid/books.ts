import { BOOK_LEVELS_MAX, type BookLevel, type VenueBook } from '@crosstape/core';
import { readArray, readInteger, readObject, readPositiveDecimal, readText, wrong } from '../reading.ts';
import { type Feed, Malformed } from '../venue.ts';
import { ping, socketReader } from './socket.ts';

/** A fast book has this many levels a side [D]. */
const FAST_LEVELS = 5;
/** Ends the topic of a fast book. No coin has a space in its name. */
const FAST = ' fast';
/**
 * The venue allows 1,000 subscriptions per IP [D]. Trades take two for each coin, about 500; these are for 200 coins,
 * and leave room for connections that the venue has not yet noticed to be gone.
 */
const TOPICS_MAX = 400;

/**
 * The books of followed coins, two subscriptions each. Both are whole snapshots, never changes, and
 * come on the same channel:
 * ```json
 * → {"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC"}}              20 levels a side about every 5 s
 * → {"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC","fast":true}}  5 levels a side every 0.5 s
 * ← {"channel":"l2Book","data":{"coin":"BTC","time":1754450974231,"levels":[
 *     [{"px":"113377.0","sz":"7.6699","n":17},…],[{"px":"113378.0","sz":"0.11543","n":3},…]]}}
 * ← {"channel":"l2Book","data":{"coin":"BTC","time":1754450974731,"levels":[[…],[…]],"fast":true}}
 * ```
 * Bids are first, best first on both sides [D, S]; the cadences are those of since July 2026 [D].
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/websocket/subscriptions
 */
export const books: Feed = {
  name: 'books',
  path: '/ws',
  // State that is sent twice a second needs no second socket.
  sockets: 1,
  demand: { keepMs: 15_000, topicsMax: TOPICS_MAX },
  topics: (instruments, followed = []) =>
    instruments
      .filter(({ coin }) => followed.includes(coin))
      .flatMap(({ symbol }) => [symbol, `${symbol}${FAST}`]),
  subscribe: ([topic = '']) => subscription('subscribe', topic),
  unsubscribe: ([topic = '']) => subscription('unsubscribe', topic),
  ping,
  silentMaxMs: 20_000,
  open: () =>
    socketReader({
      channel: 'l2Book',
      data: (data) => ({ kind: 'book', book: parseBook(data) }),
      topicOf: (coin, { fast }) => (fast === true ? `${coin}${FAST}` : coin),
    }),
};

function subscription(method: string, topic: string): string {
  const isFast = topic.endsWith(FAST);
  const coin = isFast ? topic.slice(0, -FAST.length) : topic;
  return JSON.stringify({ method, subscription: { type: 'l2Book', coin, ...(isFast && { fast: true }) } });
}

/** A book out of order, or crossed, is none: the venue's matches whatever meets. */
export function parseBook(data: unknown): VenueBook {
  const { coin: name, time, levels, fast = false } = readObject(data, 'book');
  const coin = readText(name, 'book.coin');
  if (typeof fast !== 'boolean') throw wrong(fast, `${coin} book.fast`, 'true or false');
  const [bids, asks, ...rest] = readArray(levels, `${coin} book.levels`).map((side) => parseSide(side, coin));
  if (!bids || !asks || rest.length > 0) throw new Malformed(`${coin} book.levels are not two sides`);
  if (!isFalling([...asks.toReversed(), ...bids])) throw new Malformed(`${coin} book is crossed or unsorted`);
  const venueTs = readInteger(time, `${coin} book.time`);
  return { coin, venueTs, depth: fast ? FAST_LEVELS : BOOK_LEVELS_MAX, bids, asks };
}

function parseSide(side: unknown, coin: string): readonly BookLevel[] {
  return readArray(side, `${coin} book.levels`).map((row) => {
    const { px, sz, n } = readObject(row, `${coin} level`);
    return [
      readPositiveDecimal(px, `${coin} level.px`),
      readPositiveDecimal(sz, `${coin} level.sz`),
      readInteger(n, `${coin} level.n`),
    ];
  });
}

function isFalling(levels: readonly BookLevel[]): boolean {
  return levels.every(([price], i) => i === 0 || price < (levels[i - 1] as BookLevel)[0]);
}
