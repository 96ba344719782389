import { bookFeed, gapOf, levelOf } from '../book-feed.ts';
import { frameReader } from '../frame-reader.ts';
import { type Fields, readArray, readInteger, readIsoTime, readObject, readText } from '../reading.ts';
import type { BookFeed, Frame } from '../venue.ts';
import { ChecksumBook } from './checksum-book.ts';

const CHANNEL = 'book';
const DEPTH = 25;
/** Prices and sizes are JSON numbers: read as text, they keep the zeros that the checksum is made of. */
const FIGURES = /"(price|qty)":\s*([0-9.]+)/g;

/**
 * The best 25 levels a side, whole and then what changed, each with a checksum [D]:
 * ```json
 * → {"method":"subscribe","params":{"channel":"book","symbol":["MATIC/USD"],"depth":25,"snapshot":true}}
 * ← {"method":"subscribe","result":{"channel":"book","depth":25,"snapshot":true,"symbol":"MATIC/USD"},"success":true,…}
 * ← {"channel":"book","type":"snapshot","data":[{"symbol":"MATIC/USD","bids":[{"price":0.5666,"qty":4831.75496356}],
 *    "asks":[{"price":0.5668,"qty":4410.79769741}],"checksum":2439117997}]}
 * ← {"channel":"book","type":"update","data":[{"symbol":"MATIC/USD","bids":[{"price":0.5657,"qty":1098.3947558}],
 *    "asks":[],"checksum":2114181697,"timestamp":"2023-10-06T17:35:55.440295Z"}]}
 * ```
 * A `qty` of 0 removes a level; levels beyond the 25th are to be dropped, and are not removed by the venue [D].
 * https://docs.kraken.com/api/docs/websocket-v2/book
 */
export const orderBooks: BookFeed = {
  ...bookFeed,
  path: '/v2',
  topics: (listed, followed = []) =>
    listed.flatMap(({ symbol, streamSymbol = symbol }) =>
      followed.includes(streamSymbol) ? streamSymbol : [],
    ),
  subscribe: (symbols) => request('subscribe', { symbol: symbols, depth: DEPTH, snapshot: true }),
  unsubscribe: (symbols) => request('unsubscribe', { symbol: symbols, depth: DEPTH }),
  ping: { everyMs: 20_000, frame: '{"method":"ping"}' },
  open() {
    const books = new Map<string, ChecksumBook>();
    return frameReader((text) => parseFrame(text, books));
  },
};

function request(method: string, params: Fields): string {
  return JSON.stringify({ method, params: { channel: CHANNEL, ...params } });
}

function parseFrame(text: string, books: Map<string, ChecksumBook>): Frame {
  const frame = readObject(JSON.parse(text.replaceAll(FIGURES, '"$1":"$2"')), 'frame');
  if (frame.success === false)
    return { kind: 'refused', why: `the venue says: ${String(frame.error)}`, isReply: true };
  if (frame.channel === CHANNEL) {
    const [row] = readArray(frame.data, 'data');
    return readBook(readObject(row, 'book'), frame.type === 'snapshot', books);
  }
  if (frame.channel === 'heartbeat' || frame.method === 'pong') return { kind: 'heartbeat' };
  if (frame.method === 'subscribe') {
    const topic = readText(readObject(frame.result, 'result').symbol, 'result.symbol');
    return { kind: 'subscribed', topics: [topic] };
  }
  return { kind: 'ignored', why: `channel ${String(frame.channel)}, method ${String(frame.method)}` };
}

function readBook(row: Fields, isSnapshot: boolean, books: Map<string, ChecksumBook>): Frame {
  const symbol = readText(row.symbol, 'symbol');
  const sides = { bids: readTexts(row.bids, `${symbol} bids`), asks: readTexts(row.asks, `${symbol} asks`) };
  const checksum = readInteger(row.checksum, `${symbol} checksum`);
  const venueTs = row.timestamp === undefined ? {} : { venueTs: readIsoTime(row.timestamp, 'timestamp') };
  if (isSnapshot) books.set(symbol, new ChecksumBook(DEPTH));
  const book = books.get(symbol);
  if (!book) return gapOf(symbol, `${symbol}: a change before a snapshot`);
  book.apply(sides);
  if (book.checksum !== checksum) {
    books.delete(symbol);
    return gapOf(symbol, `${symbol}: the checksum is ${checksum}, and that of our book ${book.checksum}`);
  }
  // Whole, because levels leave the 25 without a message.
  return { kind: 'bookChange', change: { symbol, isSnapshot: true, ...book.levels, ...venueTs } };
}

function readTexts(rows: unknown, what: string): readonly (readonly [string, string])[] {
  return readArray(rows, what).map((row) => {
    const { price, qty } = readObject(row, what);
    levelOf(price, qty, what);
    return [readText(price, what), readText(qty, what)];
  });
}
