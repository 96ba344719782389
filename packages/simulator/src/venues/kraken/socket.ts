import { type Fields, isFields } from '../../json.ts';
import { isWithinSecond } from '../per-second.ts';
import type { Session, WireSocket } from '../wire.ts';
import { findListing, type Listing, listingsOf } from './listing.ts';
import { numberedDeals } from './trade-sequence.ts';
import { printTrade, recentDeals } from './trades.ts';

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
  hear(text, session) {
    if (isWithinSecond(session, MESSAGES_PER_SECOND)) return answer(text, session);
    session.violate('messages');
    session.close(1008, 'Rate limit exceeded');
  },
  push(session, fromMs, toMs) {
    for (const listing of listingsOf(session.market)) {
      if (!session.topics.has(listing.symbol)) continue;
      for (const numbered of numberedDeals(session.market, listing, fromMs, toMs))
        session.send(JSON.stringify(printTrade(listing, numbered)));
    }
    const isBeat = Math.floor(fromMs / BEAT_EVERY_MS) !== Math.floor(toMs / BEAT_EVERY_MS);
    if (isBeat && session.topics.has(HEARTBEAT))
      session.send(JSON.stringify({ feed: HEARTBEAT, time: session.nowMs() }));
  },
};

/** → {"event":"subscribe","feed":"trade","product_ids":["PF_XBTUSD"]} */
function answer(text: string, session: Session): void {
  const request = parse(text);
  if (!request) return session.send('{"event":"alert","message":"Bad request"}');
  const { event, feed, product_ids: products } = request;
  if (event !== 'subscribe' && event !== 'unsubscribe') return refuse(session, 'Invalid event');
  if (feed === HEARTBEAT) {
    toggle(session, event, HEARTBEAT);
    return session.send(JSON.stringify({ event: `${event}d`, feed }));
  }
  if (feed !== 'trade') return refuse(session, 'Invalid feed');
  if (!Array.isArray(products) || products.length === 0) return refuse(session, 'Invalid product id');
  const listings = products.map((product) => findListing(session.market, String(product)));
  if (!listings.every((listing) => listing !== undefined)) return refuse(session, 'Invalid product id');
  for (const { symbol } of listings) toggle(session, event, symbol);
  session.send(JSON.stringify({ event: `${event}d`, feed, product_ids: products }));
  if (event === 'subscribe') for (const listing of listings) sendSnapshot(session, listing);
}

function parse(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toggle({ topics }: Session, event: 'subscribe' | 'unsubscribe', topic: string): void {
  if (event === 'subscribe') topics.add(topic);
  else topics.delete(topic);
}

function refuse(session: Session, message: string): void {
  session.send(JSON.stringify({ event: 'error', message }));
}

function sendSnapshot(session: Session, listing: Listing): void {
  const trades = recentDeals(listing, session.market, session.nowMs()).map((deal) =>
    printTrade(listing, deal),
  );
  session.send(JSON.stringify({ feed: 'trade_snapshot', product_id: listing.symbol, trades }));
}
