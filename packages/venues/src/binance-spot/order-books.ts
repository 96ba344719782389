import { DEPTH_STREAM, depthRequest, readDepthReply } from '../binance/depth-stream.ts';
import { bookFeed, readLevels } from '../book-feed.ts';
import { jsonReader } from '../frame-reader.ts';
import { type Fields, readObject } from '../reading.ts';
import type { BookFeed, Frame } from '../venue.ts';

/**
 * The best 20 levels a side, whole each time, every 100 ms. A book names neither its pair nor its time, so that the
 * streams are taken in their envelopes [D]:
 * ```json
 * → {"method":"SUBSCRIBE","params":["bnbbtc@depth20@100ms"],"id":1}  ← {"result":null,"id":1}
 * ← {"stream":"bnbbtc@depth20@100ms","data":{"lastUpdateId":160,"bids":[["0.0024","10"]],"asks":[["0.0026","100"]]}}
 * ```
 * https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams#partial-book-depth-streams
 */
export const orderBooks: BookFeed = {
  ...bookFeed,
  path: '/stream',
  subscribe: (symbols) => depthRequest('SUBSCRIBE', symbols),
  unsubscribe: (symbols) => depthRequest('UNSUBSCRIBE', symbols),
  // The server pings every 20 s itself [D].
  ping: { everyMs: 20_000 },
  open: () => jsonReader(parseFrame),
};

function parseFrame(frame: Fields): Frame {
  if (typeof frame.stream !== 'string' || !frame.stream.endsWith(DEPTH_STREAM))
    return readDepthReply(frame, DEPTH_STREAM);
  const symbol = frame.stream.slice(0, -DEPTH_STREAM.length).toUpperCase();
  const { bids, asks } = readObject(frame.data, `${symbol} data`);
  return {
    kind: 'bookChange',
    change: {
      symbol,
      isSnapshot: true,
      bids: readLevels(bids, `${symbol} bids`),
      asks: readLevels(asks, `${symbol} asks`),
    },
  };
}
