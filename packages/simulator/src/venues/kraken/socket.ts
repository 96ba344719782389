import { parseFields } from '../../json.ts';
import { isWithinSecond } from '../per-second.ts';
import type { Session, WireSocket } from '../wire.ts';
import { BOOK_FEED, bookTopic, followBook } from './books.ts';
import { findListing, type Listing } from './listing.ts';
import { printTrade, RECENT_MAX, tradeMarket } from './trades.ts';

const PUSH_EVERY_MS = 500;
const BEAT_EVERY_MS = 1000;
const MESSAGES_PER_SECOND = 100;
const HEARTBEAT = 'heartbeat';

/**
 * Trades and beats of the public socket. 100 connections and 100 messages a second [D]; how many may be opened in a
 * minute is not published.
 * https://docs.kraken.com/exchange/api-reference/futures-websocket
 */
export const publicSocket: WireSocket = {
  path: '/ws/v1',
  socketsMax: 100,
  socketsPerMinute: 100,
  messagesPerMinute: MESSAGES_PER_SECOND * 60,
  everyMs: PUSH_EVERY_MS,
  greet: (session) => session.send('{"event":"info","version":1}'),
  receive(text, session) {
    if (isWithinSecond(session, MESSAGES_PER_SECOND)) return answer(text, session);
    session.violate('messages');
    session.close(1008, 'Rate limit exceeded');
  },
  push(session, fromMs, toMs) {
    const isBeat = Math.floor(fromMs / BEAT_EVERY_MS) !== Math.floor(toMs / BEAT_EVERY_MS);
    if (isBeat && session.topics.has(HEARTBEAT))
      session.send(JSON.stringify({ feed: HEARTBEAT, time: session.nowMs() }));
  },
};

/** → {"event":"subscribe","feed":"trade","product_ids":["PF_XBTUSD"]} */
function answer(text: string, session: Session): void {
  const request = parseFields(text);
  if (!request) return session.send('{"event":"alert","message":"Bad request"}');
  const { event, feed, product_ids: products } = request;
  if (event !== 'subscribe' && event !== 'unsubscribe') return refuse(session, 'Invalid event');
  if (feed === HEARTBEAT) {
    if (event === 'subscribe') session.topics.add(HEARTBEAT);
    else session.topics.delete(HEARTBEAT);
    return session.send(JSON.stringify({ event: `${event}d`, feed }));
  }
  if (feed !== 'trade' && feed !== BOOK_FEED) return refuse(session, 'Invalid feed');
  if (!Array.isArray(products) || products.length === 0) return refuse(session, 'Invalid product id');
  const listings = products.map((product) => findListing(session.market, String(product)));
  if (!listings.every((listing) => listing !== undefined)) return refuse(session, 'Invalid product id');
  session.send(JSON.stringify({ event: `${event}d`, feed, product_ids: products }));
  for (const listing of listings) {
    const isBook = feed === BOOK_FEED;
    if (event === 'unsubscribe') session.leave(isBook ? bookTopic(listing) : listing.symbol);
    else if (isBook) followBook(session, listing);
    else follow(session, listing);
  }
}

function refuse(session: Session, message: string): void {
  session.send(JSON.stringify({ event: 'error', message }));
}

/** A frame for each trade, after a snapshot of the newest, newest first. */
function follow(session: Session, listing: Listing): void {
  session.follow(listing.symbol, {
    market: tradeMarket(session.market, listing),
    print: (deals) =>
      deals.map((deal) => ({ text: JSON.stringify(printTrade(listing, deal)), deals: [deal] })),
    snapshot: {
      count: RECENT_MAX,
      print(deals) {
        const trades = deals.toReversed().map((deal) => printTrade(listing, deal));
        const text = JSON.stringify({ feed: 'trade_snapshot', product_id: listing.symbol, trades });
        return [{ text, deals }];
      },
    },
  });
}
