import { bookFeed, BookSequence, readLevels } from '../book-feed.ts';
import { jsonReader } from '../frame-reader.ts';
import { type Fields, readArray, readIntegerText, readNumber, readObject } from '../reading.ts';
import { type BookFeed, type Frame, Malformed } from '../venue.ts';
import { channelOperation, PING, PONG, readChannel } from './channel.ts';

const CHANNEL = 'books';
/** Where a level has its number of orders. */
const ORDERS_AT = 3;

/**
 * The best 400 levels a side of swaps and pairs, every 100 ms [D]:
 * ```json
 * → {"op":"subscribe","args":[{"channel":"books","instId":"BTC-USDT-SWAP"}]}
 * ← {"arg":{"channel":"books","instId":"BTC-USDT-SWAP"},"action":"snapshot","data":[{
 *    "asks":[["8476.98","415","0","13"]],"bids":[["8476.97","256","0","12"]],
 *    "ts":"1597026383085","checksum":-855196043,"prevSeqId":-1,"seqId":123456}]}
 * ← {"arg":{"channel":"books","instId":"BTC-USDT-SWAP"},"action":"update","data":[{"asks":[["8477","0","0","0"]],
 *    "bids":[],"ts":"1597026383185","checksum":0,"prevSeqId":123456,"seqId":123457}]}
 * ```
 * A level is price, size, a dead field and the number of orders; a size of 0 removes it [D]. `prevSeqId` is the `seqId`
 * of the message before; a message without changes has the same number twice [D]. Sizes of swaps count contracts. The
 * checksum is not used: the numbers prove the same.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-ws-order-book-channel
 */
export const orderBooks: BookFeed = {
  ...bookFeed,
  path: '/ws/v5/public',
  subscribe: (ids) => channelOperation('subscribe', CHANNEL, ids),
  unsubscribe: (ids) => channelOperation('unsubscribe', CHANNEL, ids),
  ping: PING,
  open() {
    const sequence = new BookSequence();
    return jsonReader(
      (frame) => readChannel(frame, CHANNEL, (pushed, symbol) => readBook(pushed, symbol, sequence)),
      PONG,
    );
  },
};

function readBook(frame: Fields, symbol: string, sequence: BookSequence): Frame {
  const isSnapshot = frame.action === 'snapshot';
  if (!isSnapshot && frame.action !== 'update')
    throw new Malformed(`${symbol} action is neither snapshot nor update`);
  const [row, ...rest] = readArray(frame.data, `${symbol} data`);
  if (rest.length > 0) throw new Malformed(`${symbol} has more than one book`);
  const { asks, bids, ts, prevSeqId, seqId } = readObject(row, `${symbol} book`);
  const change = {
    symbol,
    isSnapshot,
    bids: readLevels(bids, `${symbol} bids`, ORDERS_AT),
    asks: readLevels(asks, `${symbol} asks`, ORDERS_AT),
    venueTs: readIntegerText(ts, `${symbol} ts`),
  };
  const number = readNumber(seqId, `${symbol} seqId`);
  const before = readNumber(prevSeqId, `${symbol} prevSeqId`);
  if (isSnapshot) sequence.begin(symbol, number);
  const unusable = isSnapshot ? undefined : sequence.check(symbol, before, number);
  return unusable ?? { kind: 'bookChange', change };
}
