import { bookFeed, readLevels } from '../book-feed.ts';
import { jsonReader } from '../frame-reader.ts';
import { type Fields, readInteger, readText } from '../reading.ts';
import type { BookFeed, Frame } from '../venue.ts';
import { DEPTH_STREAM, depthRequest, readDepthReply } from './depth-stream.ts';

/**
 * The best 20 levels a side, whole each time, every 100 ms [D]:
 * ```json
 * → {"method":"SUBSCRIBE","params":["btcusdt@depth20@100ms"],"id":1}  ← {"result":null,"id":1}
 * ← {"e":"depthUpdate","E":1571889248277,"T":1571889248276,"s":"BTCUSDT","U":390497796,"u":390497878,
 *    "pu":390497794,"b":[["7403.89","0.002"],["7403.90","3.906"]],"a":[["7405.96","3.340"],["7406.63","4.525"]]}
 * ```
 * Books are on the path `/public`; on any other a subscription is acknowledged and stays silent [D].
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams/Partial-Book-Depth-Streams
 */
export const orderBooks: BookFeed = {
  ...bookFeed,
  path: '/public/ws',
  subscribe: (symbols) => depthRequest('SUBSCRIBE', symbols),
  unsubscribe: (symbols) => depthRequest('UNSUBSCRIBE', symbols),
  // The server pings every 3 minutes itself, and lets a client send 10 messages a second, pings among them [D].
  ping: { everyMs: 20_000 },
  open: () => jsonReader(parseFrame),
};

function parseFrame(frame: Fields): Frame {
  if (frame.e !== 'depthUpdate') return readDepthReply(frame, DEPTH_STREAM);
  const symbol = readText(frame.s, 's');
  return {
    kind: 'bookChange',
    change: {
      symbol,
      isSnapshot: true,
      bids: readLevels(frame.b, `${symbol} b`),
      asks: readLevels(frame.a, `${symbol} a`),
      venueTs: readInteger(frame.T ?? frame.E, `${symbol} T`),
    },
  };
}
