import type { VenueQuote } from '@crosstape/core';
import { jsonReader } from '../frame-reader.ts';
import { type Fields, present, readIsoTime, readText } from '../reading.ts';
import { DOLLARS } from '../spot-pairs.ts';
import { quotesFeed, readQuoted, readQuotes } from '../spot-quotes.ts';
import type { Feed, Frame } from '../venue.ts';
import { readControl, subscription } from './subscriptions.ts';

const CHANNEL = 'ticker';
const PING_EVERY_MS = 20_000;

/**
 * Best bid and ask beside each match, sent when it happens [D]:
 * ```json
 * → {"type":"subscribe","product_ids":["ETH-USD"],"channels":["ticker"]}
 * ← {"type":"subscriptions","channels":[{"name":"ticker","product_ids":["ETH-USD"]}]}
 * ← {"type":"ticker","sequence":37475248783,"product_id":"ETH-USD","price":"1285.22","open_24h":"1310.79",
 *    "volume_24h":"245532.79","low_24h":"1280.52","high_24h":"1313.8","volume_30d":"9788783.60","best_bid":"1285.04",
 *    "best_bid_size":"0.46688654","best_ask":"1285.27","best_ask_size":"1.56637040","side":"buy",
 *    "time":"2022-10-19T23:28:22.061769Z","trade_id":370843401,"last_size":"11.4396987"}
 * ```
 * Between two matches the book changes without a message, so a quote is of the time of its match only. The first message
 * after a subscription repeats the last match, however old [K]: it is not taken.
 * https://docs.cdp.coinbase.com/exchange/websocket-feed/channels
 */
export const quotes: Feed = {
  ...quotesFeed,
  path: '/',
  refusesWholeFrames: true,
  subscribe: (products) => subscription('subscribe', [CHANNEL], products),
  unsubscribe: (products) => subscription('unsubscribe', [CHANNEL], products),
  ping: { everyMs: PING_EVERY_MS },
  open() {
    const begun = new Set<string>();
    return jsonReader((frame) => parseFrame(frame, begun));
  },
};

/** `begun` holds the products whose first message has come. */
function parseFrame(frame: Fields, begun: Set<string>): Frame {
  switch (frame.type) {
    case 'ticker':
      return parseTicker(frame, begun);
    default:
      return readControl(frame, CHANNEL);
  }
}

function parseTicker(frame: Fields, begun: Set<string>): Frame {
  const symbol = readText(frame.product_id, 'product_id');
  const [coin = '', quote = ''] = symbol.split('-');
  if (coin === '' || !DOLLARS.has(quote)) return { kind: 'ignored', why: `product ${symbol}` };
  if (!begun.has(symbol)) {
    begun.add(symbol);
    return { kind: 'ignored', why: 'the last match before the subscription' };
  }
  const read = (): VenueQuote => ({
    coin,
    symbol,
    quote,
    ...present({
      bid: readQuoted(frame.best_bid, `${symbol} best_bid`),
      ask: readQuoted(frame.best_ask, `${symbol} best_ask`),
      last: readQuoted(frame.price, `${symbol} price`),
    }),
    venueTs: readIsoTime(frame.time, `${symbol} time`),
  });
  return readQuotes([frame], read, false);
}
