import type { BookLevel } from '@crosstape/core';
import { bookFeed, BookSequence, levelOf, readNamedLevels } from '../book-feed.ts';
import { jsonReader } from '../frame-reader.ts';
import { type Fields, readInteger, readText } from '../reading.ts';
import { type BookFeed, type Frame, Malformed } from '../venue.ts';
import { readEvent, subscription } from './events.ts';

const FEED = 'book';

/**
 * The whole book of a contract, then one level at a time [D]:
 * ```json
 * → {"event":"subscribe","feed":"book","product_ids":["PI_XBTUSD"]}
 * ← {"feed":"book_snapshot","product_id":"PI_XBTUSD","timestamp":1612269825817,"seq":326072249,"tickSize":null,
 *    "bids":[{"price":34892.5,"qty":6385}],"asks":[{"price":34911.5,"qty":20598}]}
 * ← {"feed":"book","product_id":"PI_XBTUSD","side":"sell","seq":326094134,"price":34981,"qty":0,
 *    "timestamp":1612269953629}
 * ```
 * `seq` rises by one from message to message of a contract; a `qty` of 0 removes a level [D, T].
 * https://docs.kraken.com/api/docs/futures-api/websocket/book
 */
export const orderBooks: BookFeed = {
  ...bookFeed,
  path: '/ws/v1',
  subscribe: (symbols) => subscription('subscribe', FEED, symbols),
  unsubscribe: (symbols) => subscription('unsubscribe', FEED, symbols),
  ping: { everyMs: 20_000 },
  open() {
    const sequence = new BookSequence();
    return jsonReader((frame) => {
      if (frame.event === undefined && frame.feed === 'book_snapshot') return readWhole(frame, sequence);
      if (frame.event === undefined && frame.feed === FEED) return readLevel(frame, sequence);
      return readEvent(frame);
    });
  },
};

function readWhole(frame: Fields, sequence: BookSequence): Frame {
  const symbol = readText(frame.product_id, 'product_id');
  const change = {
    symbol,
    isSnapshot: true,
    bids: readNamedLevels(frame.bids, `${symbol} bids`, ['price', 'qty']),
    asks: readNamedLevels(frame.asks, `${symbol} asks`, ['price', 'qty']),
    venueTs: readInteger(frame.timestamp, `${symbol} timestamp`),
  };
  sequence.begin(symbol, readInteger(frame.seq, `${symbol} seq`));
  return { kind: 'bookChange', change };
}

function readLevel(frame: Fields, sequence: BookSequence): Frame {
  const symbol = readText(frame.product_id, 'product_id');
  const { side } = frame;
  if (side !== 'buy' && side !== 'sell') throw new Malformed(`${symbol} side is neither buy nor sell`);
  const levels: readonly BookLevel[] = [levelOf(frame.price, frame.qty, `${symbol} level`)];
  const change = {
    symbol,
    isSnapshot: false,
    bids: side === 'buy' ? levels : [],
    asks: side === 'sell' ? levels : [],
    venueTs: readInteger(frame.timestamp, `${symbol} timestamp`),
  };
  const number = readInteger(frame.seq, `${symbol} seq`);
  return sequence.check(symbol, number - 1, number) ?? { kind: 'bookChange', change };
}
