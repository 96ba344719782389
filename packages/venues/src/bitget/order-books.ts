import { bookFeed, BookSequence, readLevels } from '../book-feed.ts';
import { jsonReader } from '../frame-reader.ts';
import { type Fields, readArray, readIntegerText, readObject, wrong } from '../reading.ts';
import { type BookFeed, type Frame, Malformed } from '../venue.ts';
import { PING, PONG, readTopic, topicOperation } from './topic.ts';

const TOPIC = 'books';

/**
 * Books on the third version of the public socket, first whole and then what changed:
 * ```json
 * → {"op":"subscribe","args":[{"instType":"usdt-futures","topic":"books","symbol":"BTCUSDT"}]}
 * ← {"action":"snapshot","arg":{"instType":"usdt-futures","topic":"books","symbol":"BTCUSDT"},"data":[{
 *    "a":[["80810.7","3.1"]],"b":[["80810.6","0.8"]],"checksum":0,"pseq":0,"seq":"1343064377779269632",
 *    "ts":"1755937421270"}],"ts":1755937421337}
 * ```
 * Shape [C]. `pseq` is the `seq` of the message before, and proves what the checksum did on older sockets [C]; both have
 * more digits than a number. A size of 0 removes a level [C].
 * https://www.bitget.com/api-doc/uta/websocket/public/Order-Book-Channel
 */
export const orderBooks: BookFeed = {
  ...bookFeed,
  path: '/v3/ws/public',
  topicsPerFrame: 5,
  subscribe: (symbols) => topicOperation('subscribe', TOPIC, symbols),
  unsubscribe: (symbols) => topicOperation('unsubscribe', TOPIC, symbols),
  ping: PING,
  open() {
    const sequence = new BookSequence();
    return jsonReader(
      (frame) => readTopic(frame, TOPIC, (pushed, symbol) => readBook(pushed, symbol, sequence)),
      PONG,
    );
  },
};

function readBook(frame: Fields, symbol: string, sequence: BookSequence): Frame {
  const isSnapshot = frame.action === 'snapshot';
  const [row, ...rest] = readArray(frame.data, `${symbol} data`);
  if (rest.length > 0) throw new Malformed(`${symbol} has more than one book`);
  const { a, b, pseq, seq, ts } = readObject(row, `${symbol} book`);
  const change = {
    symbol,
    isSnapshot,
    bids: readLevels(b, `${symbol} b`),
    asks: readLevels(a, `${symbol} a`),
    venueTs: readIntegerText(ts, `${symbol} ts`),
  };
  const number = readLong(seq, `${symbol} seq`);
  if (isSnapshot) sequence.begin(symbol, number);
  const unusable = isSnapshot ? undefined : sequence.check(symbol, readLong(pseq, `${symbol} pseq`), number);
  return unusable ?? { kind: 'bookChange', change };
}

function readLong(value: unknown, what: string): bigint {
  const text = String(value);
  if (!/^\d+$/.test(text)) throw wrong(value, what, 'a whole number');
  return BigInt(text);
}
