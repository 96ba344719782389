import { isFields, parseFields } from '../../json.ts';
import type { Session, WireSocket } from '../wire.ts';
import { bookTopic, followBook } from './books.ts';
import { enabledListings, type Listing } from './listing.ts';
import { printDeal, tradeMarket } from './trades.ts';

const METHODS = ['sub.deal', 'unsub.deal', 'sub.depth.full', 'unsub.depth.full'];

/**
 * The public socket, only trades and books. A client that sends nothing for a minute is cut off [D]; its limits of
 * sockets and messages are not documented [K].
 */
export const publicSocket: WireSocket = {
  path: '/edge',
  socketsMax: 100,
  socketsPerMinute: 100,
  messagesPerMinute: 6000,
  silentMaxMs: 60_000,
  everyMs: 1000,
  push: () => undefined,
  receive(text, session) {
    const { method, param } = parseFields(text) ?? {};
    const ts = session.nowMs();
    if (method === 'ping') return session.send(JSON.stringify({ channel: 'pong', data: ts }));
    if (typeof method !== 'string' || !METHODS.includes(method))
      return refuse(session, 'Not supported method');
    const symbol = isFields(param) ? String(param['symbol']) : '';
    session.send(JSON.stringify({ channel: `rs.${method}`, data: 'success', ts }));
    const isBook = method.endsWith('.depth.full');
    if (method.startsWith('unsub.')) return session.leave(isBook ? bookTopic(symbol) : symbol);
    const listing = enabledListings(session.market).find((one) => one.symbol === symbol && !one.isHidden);
    if (!listing) return refuse(session, 'Contract not exists');
    return isBook ? followBook(session, listing) : followTrades(session, listing);
  },
};

/** {"symbol":"BTC_USDT","data":[{…}],"channel":"push.deal","ts":1760368563597} [T] */
function followTrades(session: Session, listing: Listing): void {
  const { symbol } = listing;
  session.follow(symbol, {
    market: tradeMarket(session.market, listing),
    print(deals) {
      const data = deals.map((deal) => printDeal(listing, deal));
      return [{ text: JSON.stringify({ symbol, data, channel: 'push.deal', ts: session.nowMs() }), deals }];
    },
  });
}

/** The text is a guess [K]. */
function refuse(session: Session, data: string): void {
  session.send(JSON.stringify({ channel: 'rs.error', data, ts: session.nowMs() }));
}
