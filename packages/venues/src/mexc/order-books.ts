import { bookFeed, readLevels } from '../book-feed.ts';
import { jsonReader } from '../frame-reader.ts';
import { type Fields, readInteger, readObject, readText } from '../reading.ts';
import type { BookFeed, Frame } from '../venue.ts';

const LEVELS = 20;
/** Where a level has its number of orders. */
const ORDERS_AT = 2;

/**
 * The best 20 levels a side, whole each time:
 * ```json
 * → {"method":"sub.depth.full","param":{"symbol":"BTC_USDT","limit":20},"gzip":false}
 * ← {"channel":"rs.sub.depth.full","data":"success","ts":1760368563000}
 * ← {"channel":"push.depth.full","data":{"asks":[[114350.5,4021,3]],"bids":[[114350.4,10,1]],"version":96801927},
 *    "symbol":"BTC_USDT","ts":1760368563597}
 * ```
 * Shape [D, K]. A level is price, contracts and number of orders [C].
 * https://www.mexc.com/api-docs/futures/websocket-api/full-order-book-depth
 */
export const orderBooks: BookFeed = {
  ...bookFeed,
  path: '/edge',
  topicsPerFrame: 1,
  subscribe: ([symbol = '']) =>
    JSON.stringify({ method: 'sub.depth.full', param: { symbol, limit: LEVELS }, gzip: false }),
  unsubscribe: ([symbol = '']) =>
    JSON.stringify({ method: 'unsub.depth.full', param: { symbol, limit: LEVELS } }),
  // Closed after 60 s without one [D].
  ping: { everyMs: 15_000, frame: '{"method":"ping"}' },
  open: () => jsonReader(parseFrame),
};

function parseFrame(frame: Fields): Frame {
  switch (frame.channel) {
    case 'push.depth.full': {
      const symbol = readText(frame.symbol, 'symbol');
      const { asks, bids } = readObject(frame.data, `${symbol} data`);
      return {
        kind: 'bookChange',
        change: {
          symbol,
          isSnapshot: true,
          bids: readLevels(bids, `${symbol} bids`, ORDERS_AT),
          asks: readLevels(asks, `${symbol} asks`, ORDERS_AT),
          venueTs: readInteger(frame.ts, `${symbol} ts`),
        },
      };
    }
    case 'pong':
      return { kind: 'heartbeat' };
    case 'rs.sub.depth.full':
      if (frame.data === 'success') return { kind: 'subscribed', topics: [] };
      return { kind: 'refused', why: `the venue says: ${String(frame.data)}`, isReply: true };
    case 'rs.error':
      return { kind: 'refused', why: `the venue says: ${String(frame.data)}`, isReply: true };
    default:
      return { kind: 'ignored', why: `channel ${String(frame.channel)}` };
  }
}
