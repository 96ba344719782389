import { bookFeed, BookSequence, readLevels } from '../book-feed.ts';
import { jsonReader } from '../frame-reader.ts';
import { type Fields, readInteger, readObject, readText } from '../reading.ts';
import { type BookFeed, type Frame, Malformed } from '../venue.ts';
import { operation, PING, readReply } from './operation.ts';

const TOPIC = 'orderbook.50.';

/**
 * The best 50 levels a side, every 20 ms, of contracts and pairs alike [D]:
 * ```json
 * → {"op":"subscribe","args":["orderbook.50.BTCUSDT"],"req_id":"BTCUSDT"}
 * ← {"topic":"orderbook.50.BTCUSDT","type":"snapshot","ts":1672304484978,"data":{"s":"BTCUSDT",
 *    "b":[["16493.50","0.006"],["16493.00","0.100"]],"a":[["16611.00","0.029"],["16612.00","0.213"]],
 *    "u":18521288,"seq":7961638724},"cts":1672304484976}
 * ← {"topic":"orderbook.50.BTCUSDT","type":"delta","ts":1687940967466,"data":{"s":"BTCUSDT",
 *    "b":[["30247.20","30.028"],["30245.40","0"]],"a":[],"u":177400507,"seq":66544703342},"cts":1687940967464}
 * ```
 * `u` rises by one from message to message of a topic; another snapshot replaces the book [D]. A size of 0 removes a
 * level [D]. `cts` is the time of the matching engine [D].
 * https://bybit-exchange.github.io/docs/v5/websocket/public/orderbook
 */
export function orderBooks(category: 'linear' | 'spot'): BookFeed {
  return {
    ...bookFeed,
    path: `/v5/public/${category}`,
    refusesWholeFrames: true,
    subscribe: (symbols) => operation('subscribe', TOPIC, symbols),
    unsubscribe: (symbols) => operation('unsubscribe', TOPIC, symbols),
    ping: PING,
    open() {
      const sequence = new BookSequence();
      return jsonReader((frame) => {
        if (typeof frame.topic !== 'string') return readReply(frame, TOPIC);
        if (!frame.topic.startsWith(TOPIC)) return { kind: 'ignored', why: `topic ${frame.topic}` };
        return readBook(frame, sequence);
      });
    },
  };
}

function readBook(frame: Fields, sequence: BookSequence): Frame {
  const { s, b, a, u } = readObject(frame.data, 'data');
  const symbol = readText(s, 'data.s');
  const isSnapshot = frame.type === 'snapshot';
  if (!isSnapshot && frame.type !== 'delta')
    throw new Malformed(`${symbol} type is neither snapshot nor delta`);
  const change = {
    symbol,
    isSnapshot,
    bids: readLevels(b, `${symbol} b`),
    asks: readLevels(a, `${symbol} a`),
    venueTs: readInteger(frame.cts ?? frame.ts, `${symbol} cts`),
  };
  const number = readInteger(u, `${symbol} u`);
  if (isSnapshot) sequence.begin(symbol, number);
  const unusable = isSnapshot ? undefined : sequence.check(symbol, number - 1, number);
  return unusable ?? { kind: 'bookChange', change };
}
