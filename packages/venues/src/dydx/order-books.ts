import type { BookLevel } from '@crosstape/core';
import { bookFeed, readLevels, readNamedLevels } from '../book-feed.ts';
import { jsonReader } from '../frame-reader.ts';
import { type Fields, readInteger, readObject, readText } from '../reading.ts';
import { type BookFeed, type Frame, Malformed } from '../venue.ts';

const CHANNEL = 'v4_orderbook';

/**
 * The whole book of a market, then what changes [D]:
 * ```json
 * → {"type":"subscribe","channel":"v4_orderbook","id":"BTC-USD","batched":false}
 * ← {"type":"subscribed","connection_id":"…","message_id":1,"channel":"v4_orderbook","id":"BTC-USD",
 *    "contents":{"bids":[{"price":"60390","size":"0.05"}],"asks":[{"price":"60392","size":"0.1"}]}}
 * ← {"type":"channel_data","connection_id":"…","message_id":22,"id":"BTC-USD","channel":"v4_orderbook",
 *    "version":"1.0.0","contents":{"bids":[["60390","0.04"]]}}
 * ```
 * A size of 0 removes a level; either side may be absent; there are no times [D, T]. `message_id` counts the messages of
 * a connection: when one is missing, every book of the connection begins again [D]. Orders are published before they
 * are matched, so that the sides may overlap [D]. 32 markets on one connection, 2 subscriptions a second [D].
 * https://docs.dydx.xyz/indexer-client/websockets#orders
 */
export const orderBooks: BookFeed = {
  ...bookFeed,
  path: '/v4/ws',
  mayCross: true,
  topicsPerFrame: 1,
  subscribe: ([id = '']) => JSON.stringify({ type: 'subscribe', channel: CHANNEL, id, batched: false }),
  unsubscribe: ([id = '']) => JSON.stringify({ type: 'unsubscribe', channel: CHANNEL, id }),
  // The server pings every 30 s itself and cuts off clients that do not answer within 10 [D].
  ping: { everyMs: 20_000 },
  open() {
    const numbers = new MessageNumbers();
    return jsonReader((frame) => parseFrame(frame, numbers));
  },
};

/** The numbers of a connection's messages, and the markets that were subscribed to. */
class MessageNumbers {
  readonly #symbols = new Set<string>();
  #last = -1;

  /** The frame that takes the place of one that is old, or comes after one that is missing. */
  check({ message_id: id, type, id: symbol }: Fields): Frame | undefined {
    if (id === undefined) return undefined;
    const number = readInteger(id, 'message_id');
    const last = this.#last;
    if (number <= last) return { kind: 'ignored', why: 'an old message' };
    this.#last = number;
    if (type === 'subscribed' && typeof symbol === 'string') this.#symbols.add(symbol);
    if (number === last + 1 || this.#symbols.size === 0) return undefined;
    const symbols = [...this.#symbols];
    this.#symbols.clear();
    return { kind: 'bookGap', symbols, why: `a message is missing between ${last} and ${number}` };
  }
}

function parseFrame(frame: Fields, numbers: MessageNumbers): Frame {
  const unusable = numbers.check(frame);
  if (unusable) return unusable;
  switch (frame.type) {
    case 'connected':
    case 'unsubscribed':
      return { kind: 'ignored', why: frame.type };
    case 'pong':
      return { kind: 'heartbeat' };
    case 'error':
      return { kind: 'refused', why: `the venue says: ${String(frame.message)}`, isReply: true };
    case 'subscribed':
    case 'channel_data':
      return readBook(frame);
    default:
      throw new Malformed(`type is not known: ${String(frame.type)}`);
  }
}

function readBook(frame: Fields): Frame {
  if (frame.channel !== CHANNEL) return { kind: 'ignored', why: `channel ${String(frame.channel)}` };
  const symbol = readText(frame.id, 'id');
  const isSnapshot = frame.type === 'subscribed';
  const { bids = [], asks = [] } = readObject(frame.contents, `${symbol} contents`);
  const read = (rows: unknown, what: string): readonly BookLevel[] =>
    isSnapshot ? readNamedLevels(rows, what, ['price', 'size']) : readLevels(rows, what);
  const change = {
    symbol,
    isSnapshot,
    bids: read(bids, `${symbol} bids`),
    asks: read(asks, `${symbol} asks`),
  };
  return { kind: 'bookChange', change, ...(isSnapshot && { topics: [symbol] }) };
}
