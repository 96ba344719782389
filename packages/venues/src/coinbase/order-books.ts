import { bookFeed, levelOf, readLevels } from '../book-feed.ts';
import { frameReader } from '../frame-reader.ts';
import { type Fields, readArray, readIsoTime, readObject, readText } from '../reading.ts';
import { type BookFeed, type Frame, Malformed } from '../venue.ts';
import { readControl } from './subscriptions.ts';
import { withBestLevels } from './with-best-levels.ts';

const CHANNELS = ['level2_batch', 'heartbeat'];
/** A snapshot has every level of a book, tens of thousands for BTC-USD [K]. */
const FRAME_BYTES_MAX = 16_000_000;
/** A snapshot of more characters is shortened before it is parsed. */
const LONG_CHARS = 100_000;

/**
 * The whole book of a product, then what changed, gathered every 50 ms [D]:
 * ```json
 * → {"type":"subscribe","product_ids":["BTC-USD"],"channels":["level2_batch","heartbeat"]}
 * ← {"type":"snapshot","product_id":"BTC-USD","bids":[["10101.10","0.45054140"]],"asks":[["10102.55","0.57753524"]]}
 * ← {"type":"l2update","product_id":"BTC-USD","time":"2019-08-14T20:42:27.265Z","changes":[
 *    ["buy","10101.80","0.162567"],["sell","10102.55","0.00"]]}
 * ```
 * A size of 0 removes a level; delivery is promised by the venue, and messages have no number [D]: a lost one shows only
 * by a book that is crossed. The channel without `_batch` needs a key [D].
 * https://docs.cdp.coinbase.com/exchange/websocket-feed/channels#level2-batch-channel
 */
export const orderBooks: BookFeed = {
  ...bookFeed,
  path: '/',
  frameBytesMax: FRAME_BYTES_MAX,
  refusesWholeFrames: true,
  subscribe: (symbols) => subscription('subscribe', symbols),
  unsubscribe: (symbols) => subscription('unsubscribe', symbols),
  ping: { everyMs: 20_000 },
  open: () => frameReader(parseFrame),
};

function subscription(type: string, symbols: readonly string[]): string {
  return JSON.stringify({ type, product_ids: symbols, channels: CHANNELS });
}

function parseFrame(text: string): Frame {
  const frame = readObject(JSON.parse(text.length > LONG_CHARS ? withBestLevels(text) : text), 'frame');
  switch (frame.type) {
    case 'snapshot':
      return readWhole(frame);
    case 'l2update':
      return readChanges(frame);
    default:
      return readControl(frame, 'level2_batch');
  }
}

function readWhole(frame: Fields): Frame {
  const symbol = readText(frame.product_id, 'product_id');
  const bids = readLevels(frame.bids, `${symbol} bids`);
  const asks = readLevels(frame.asks, `${symbol} asks`);
  return { kind: 'bookChange', change: { symbol, isSnapshot: true, bids, asks } };
}

function readChanges(frame: Fields): Frame {
  const symbol = readText(frame.product_id, 'product_id');
  const levels = readArray(frame.changes, `${symbol} changes`).map((row) => {
    const [side, price, size] = readArray(row, `${symbol} change`);
    if (side !== 'buy' && side !== 'sell') throw new Malformed(`${symbol} side is neither buy nor sell`);
    return { side, level: levelOf(price, size, `${symbol} change`) };
  });
  const of = (wanted: string) => levels.flatMap(({ side, level }) => (side === wanted ? [level] : []));
  const venueTs = readIsoTime(frame.time, `${symbol} time`);
  return {
    kind: 'bookChange',
    change: { symbol, isSnapshot: false, bids: of('buy'), asks: of('sell'), venueTs },
  };
}
