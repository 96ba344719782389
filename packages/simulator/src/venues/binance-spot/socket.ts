import { changedQuote, forgetQuote, QUOTES_EVERY_MS } from '../changed-quote.ts';
import { printEvent, streamSocketsOf } from '../binance/stream-sockets.ts';
import { spotTrades } from '../spot-trades.ts';
import type { Session, WireSocket } from '../wire.ts';
import { followBook } from './books.ts';
import { findListing } from './listings.ts';
import { printTrade } from './trades.ts';

const STREAM = /^([a-z0-9]+)@bookTicker$/;
const TRADES = /^([a-z0-9]+)@aggTrade$/;

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
  subscribe,
  push(session) {
    for (const topic of session.topics) {
      const listing = findListing(session.market, STREAM.exec(topic)?.[1]?.toUpperCase());
      const quote = listing?.status === 'TRADING' && changedQuote(session, topic, listing);
      if (!listing || !quote) continue;
      const { bid: b, ask: a } = quote;
      const sizes = { B: '31.21000000', A: '40.66000000' };
      const data = { u: session.nowMs(), s: listing.symbol, b, B: sizes.B, a, A: sizes.A };
      session.send(printEvent(session, topic, data));
    }
  },
});

function subscribe(session: Session, stream: string): void {
  if (followBook(session, stream)) return;
  const listing = findListing(session.market, TRADES.exec(stream)?.[1]?.toUpperCase());
  if (listing?.status !== 'TRADING') return void session.topics.add(stream);
  session.follow(stream, {
    market: spotTrades(session.market, listing.symbol, listing),
    print: (deals) =>
      deals.map((deal) => {
        const data = printTrade(listing, deal, session.nowMs());
        return { text: printEvent(session, stream, data), deals: [deal] };
      }),
  });
}
