import { changedQuote, forgetQuote, QUOTES_EVERY_MS } from '../changed-quote.ts';
import { printEvent, streamSocketsOf } from '../binance/stream-sockets.ts';
import type { WireSocket } from '../wire.ts';
import { findListing } from './listings.ts';
import { pairTrades } from './trades.ts';

const QUOTES = /^([a-z0-9]+)@bookTicker$/;

/**
 * Market streams, trades, books and book tickers only. A connection takes 5 messages a second [D]. A stream that does not
 * exist is acknowledged and silent [K].
 * https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams
 */
export const streamSockets: readonly WireSocket[] = streamSocketsOf({
  paths: ['/ws*', '/stream*'],
  messagesPerSecond: 5,
  everyMs: QUOTES_EVERY_MS,
  asked: forgetQuote,
  find: ({ market }, symbol) => pairTrades(market, symbol),
  push(session) {
    for (const topic of session.topics) {
      const listing = findListing(session.market, QUOTES.exec(topic)?.[1]?.toUpperCase());
      const quote = listing?.status === 'TRADING' && changedQuote(session, topic, listing);
      if (!listing || !quote) continue;
      const { bid: b, ask: a } = quote;
      const sizes = { B: '31.21000000', A: '40.66000000' };
      const data = { u: session.nowMs(), s: listing.symbol, b, B: sizes.B, a, A: sizes.A };
      session.send(printEvent(session, topic, data));
    }
  },
});
