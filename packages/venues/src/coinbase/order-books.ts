import { bookFeed, levelOf, readLevels } from '../book-feed.ts';
import { frameReader } from '../frame-reader.ts';
import { type Fields, readArray, readIsoTime, readObject, readText } from '../reading.ts';
import { type BookFeed, type Frame, Malformed } from '../venue.ts';
import { readControl, subscription } from './subscriptions.ts';
import { DEPTH_LEVELS_MAX } from '@crosstape/core';

/** One more than a book keeps: by that it knows that there were more. */
const LEVELS_MAX = DEPTH_LEVELS_MAX + 1;
const BETWEEN_LEVELS = '],[';
/** Of a price as text, at most. */
const PRICE_CHARS = 32;

/**
 * The text of a snapshot without levels that no book keeps: to parse tens of thousands of them would keep the thread busy
 * for a tenth of a second. The venue lists the best first [K]. A list that is not in this order stays as it is.
 */
function withBestLevels(snapshot: string): string {
  const withBestBids = shorten(snapshot, 'bids', (price, than) => price < than);
  return shorten(withBestBids, 'asks', (price, than) => price > than);
}

function shorten(text: string, side: string, isWorse: (price: number, than: number) => boolean): string {
  const name = `"${side}":[[`;
  const from = text.indexOf(name);
  const to = from < 0 ? -1 : text.indexOf(']]', from);
  if (to < 0) return text;
  let cut = from + name.length;
  for (let kept = 0; kept < LEVELS_MAX; kept += 1) {
    cut = text.indexOf(BETWEEN_LEVELS, cut + 1);
    if (cut < 0 || cut > to) return text;
  }
  // Behind the quotation mark.
  const priceAt = (at: number): number => Number.parseFloat(text.slice(at + 1, at + PRICE_CHARS));
  const best = priceAt(from + name.length);
  const lastKept = priceAt(text.lastIndexOf('[', cut) + 1);
  const firstCut = priceAt(cut + BETWEEN_LEVELS.length);
  const last = priceAt(text.lastIndexOf('[', to) + 1);
  const isInOrder = isWorse(lastKept, best) && isWorse(firstCut, lastKept) && !isWorse(firstCut, last);
  return isInOrder ? text.slice(0, cut) + text.slice(to) : text;
}

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
  subscribe: (symbols) => subscription('subscribe', CHANNELS, symbols),
  unsubscribe: (symbols) => subscription('unsubscribe', CHANNELS, symbols),
  ping: { everyMs: 20_000 },
  open: () => frameReader(parseFrame),
};

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
