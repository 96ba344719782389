import { operation } from '../bybit/operation.ts';
import { jsonReader } from '../frame-reader.ts';
import {
  type Fields,
  present,
  readArray,
  readInteger,
  readObject,
  readOptional,
  readText,
} from '../reading.ts';
import { splitPair } from '../spot-pairs.ts';
import { quotesFeed, readQuoted, readQuotes } from '../spot-quotes.ts';
import type { Feed, Frame } from '../venue.ts';

/** "Every 20 seconds" is the venue's advice; it cuts off after ten silent minutes [D]. */
const PING_EVERY_MS = 20_000;
const TOPIC = 'orderbook.1.';

/**
 * The first level of a book, whole, at most every 10 ms, and again after 3 s without a change [D]:
 * ```json
 * → {"op":"subscribe","args":["orderbook.1.BTCUSDT"],"req_id":"BTCUSDT"}
 * ← {"success":true,"ret_msg":"subscribe","conn_id":"2324d924-…","req_id":"BTCUSDT","op":"subscribe"}
 * ← {"topic":"orderbook.1.BTCUSDT","ts":1672304484978,"type":"snapshot","data":{"s":"BTCUSDT",
 *    "b":[["16493.50","0.006"]],"a":[["16611.00","0.029"]],"u":18521288,"seq":7961638724},"cts":1672304484976}
 * → {"op":"ping"}  ← {"success":true,"ret_msg":"pong","conn_id":"…","req_id":"","op":"ping"}
 * ```
 * A side without orders is an empty list. `ts` is when the venue's gateway made the message.
 * https://bybit-exchange.github.io/docs/v5/websocket/public/orderbook
 */
export const quotes: Feed = {
  ...quotesFeed,
  path: '/v5/public/spot',
  listedBy: 'spotTickers',
  // Of one request of spot pairs [D].
  topicsPerFrame: 10,
  refusesWholeFrames: true,
  subscribe: (symbols) => operation('subscribe', TOPIC, symbols),
  unsubscribe: (symbols) => operation('unsubscribe', TOPIC, symbols),
  ping: { everyMs: PING_EVERY_MS, frame: '{"op":"ping"}' },
  open: () => jsonReader(parseFrame),
};

function parseFrame(frame: Fields): Frame {
  if (frame.success === false)
    return { kind: 'refused', why: `the venue says: ${String(frame.ret_msg)}`, isReply: true };
  if (frame.op === 'ping' || frame.op === 'pong') return { kind: 'heartbeat' };
  if (frame.op === 'subscribe')
    return { kind: 'subscribed', topics: readText(frame.req_id, 'req_id').split(',') };
  if (frame.op !== undefined) return { kind: 'ignored', why: `op ${JSON.stringify(frame.op)}` };
  const topic = readText(frame.topic, 'topic');
  if (!topic.startsWith(TOPIC)) return { kind: 'ignored', why: `topic ${topic}` };
  const book = readObject(frame.data, 'data');
  const symbol = readText(book.s, 'data.s');
  const pair = splitPair(symbol);
  if (!pair) return { kind: 'ignored', why: `pair ${symbol}` };
  const best = (side: 'b' | 'a'): number | undefined => {
    const [level] = readArray(book[side] ?? [], `${symbol}.${side}`);
    return level === undefined ? undefined : readQuoted(readArray(level, symbol)[0], `${symbol}.${side}[0]`);
  };
  return readQuotes([book], (_, odd) => {
    const venueTs = readOptional(frame.ts, `${symbol} ts`, readInteger, odd);
    return { ...pair, symbol, ...present({ bid: best('b'), ask: best('a'), venueTs }) };
  });
}
