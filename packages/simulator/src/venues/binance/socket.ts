import type { VenueDeal } from '../../market/venue-market.ts';
import { type Fields, isFields } from '../../json.ts';
import { isWithinSecond } from '../per-second.ts';
import type { Session, WireSocket } from '../wire.ts';
import { followBook, listingOfBook } from './books.ts';
import { contractsOf, type Listing } from './listing.ts';
import { listingOfTrades, printTrade, tradeMarket } from './trades.ts';

const PUSH_EVERY_MS = 1000;
/** Trades of the same price and side are joined for this long [D]. */
const TRADES_EVERY_MS = 100;
/** Of one connection [D]. */
const STREAMS_MAX = 1024;
const MESSAGES_PER_SECOND = 10;
const LIFETIME_MS = 24 * 3_600_000;
const ALL = '!forceOrder@arr';
/** Coins that also have a coin-margined contract, whose forced orders are on the same stream. */
const COIN_MARGINED: readonly string[] = ['BTC', 'ETH'];
const COIN_MARGINED_CONTRACT_USD = 100;

/**
 * Streams are served below `/market` and `/public`, raw at `/ws` or wrapped at `/stream`, named in the address or
 * subscribed to. A subscription on another path than the stream's own is confirmed and stays silent; forced orders and
 * trades are below `/market`, books below `/public`. Connections live for a day, take 10 messages a second, and 300 may be opened in 5 minutes [D].
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams
 */
export const streamSockets: readonly WireSocket[] = ['/market/*', '/public/*', '/ws*', '/stream*'].map(
  streamSocket,
);

function streamSocket(path: string): WireSocket {
  return {
    path,
    socketsMax: 300,
    socketsPerMinute: 60,
    messagesPerMinute: MESSAGES_PER_SECOND * 60,
    everyMs: PUSH_EVERY_MS,
    tradesEveryMs: TRADES_EVERY_MS,
    greet(session) {
      session.memory.set('openedMs', session.nowMs());
      const named = isWrapped(session)
        ? session.query.get('streams')?.split('/')
        : [session.path.split('/ws/')[1]];
      for (const name of named ?? []) if (name) subscribe(decodeURIComponent(name), session);
    },
    receive(text, session) {
      if (isWithinSecond(session, MESSAGES_PER_SECOND)) return answer(parse(text), session);
      session.violate('messages');
      session.close(1008, 'Too many requests');
    },
    push(session, fromMs, toMs) {
      if (session.nowMs() - Number(session.memory.get('openedMs')) >= LIFETIME_MS)
        return session.close(1000, '');
      if (session.path.startsWith('/market/')) pushForced(session, fromMs, toMs);
    },
  };
}

function isWrapped({ path }: Session): boolean {
  return path.endsWith('/stream');
}

function parse(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** → {"method":"SUBSCRIBE","params":["btcusdt@forceOrder"],"id":1} ← {"result":null,"id":1} */
function answer(request: Fields | undefined, session: Session): void {
  if (!request) return refuse(session, 3, 'Invalid JSON: expected value at line 1 column 1');
  const { method, params, id } = request;
  if (method === 'LIST_SUBSCRIPTIONS')
    return session.send(JSON.stringify({ result: [...session.topics], id }));
  if (method !== 'SUBSCRIBE' && method !== 'UNSUBSCRIBE')
    return refuse(session, 2, `Invalid request: unknown variant ${String(method)}`);
  if (!Array.isArray(params)) return refuse(session, 2, 'Invalid request: params must be an array of texts');
  for (const name of params.map(String)) {
    if (method === 'SUBSCRIBE') subscribe(name, session);
    else session.leave(name);
  }
  session.send(JSON.stringify({ result: null, id }));
}

function subscribe(stream: string, session: Session): void {
  if (session.topics.size >= STREAMS_MAX) return session.violate('streams');
  const booked = listingOfBook(session, stream);
  if (booked) return followBook(session, stream, booked);
  const listing = session.path.startsWith('/market/') ? listingOfTrades(session.market, stream) : undefined;
  if (!listing) return void session.topics.add(stream);
  const isJoined = isWrapped(session);
  session.follow(stream, {
    market: tradeMarket(session.market, listing),
    print: (deals) =>
      deals.map((deal) => {
        const data = printTrade(listing, deal, session.nowMs());
        return { text: JSON.stringify(isJoined ? { stream, data } : data), deals: [deal] };
      }),
  });
}

function refuse(session: Session, code: number, msg: string): void {
  session.send(JSON.stringify({ code, msg }));
}

/** For each contract the latest of the second, if there was one [D]. */
function pushForced(session: Session, fromMs: number, toMs: number): void {
  const { topics, market } = session;
  if (![...topics].some((topic) => topic.endsWith('@forceOrder') || topic === ALL)) return;
  for (const coin of market.coins) {
    const latest = market.liquidations(coin, fromMs, toMs).at(-1);
    if (!latest) continue;
    const [listing] = contractsOf(coin);
    emit(session, `${listing.symbol.toLowerCase()}@forceOrder`, printOrder(listing, latest, toMs));
    if (COIN_MARGINED.includes(coin.name))
      emit(
        session,
        `${coin.name.toLowerCase()}usd_perp@forceOrder`,
        printCoinMargined(listing, latest, toMs),
      );
  }
}

function emit(session: Session, own: string, data: object): void {
  for (const stream of [own, ALL]) {
    if (!session.topics.has(stream)) continue;
    session.send(JSON.stringify(isWrapped(session) ? { stream, data } : data));
  }
}

/**
 * {"e":"forceOrder","E":1568014460893,"o":{"s":"BTCUSDT","S":"SELL","o":"LIMIT","f":"IOC","q":"0.014","p":"9910",
 *  "ap":"9910","X":"FILLED","l":"0.014","z":"0.014","T":1568014460893},"st":1}; `st` since the coin-margined ones came [D].
 */
function printOrder({ symbol, priceDecimals, coin }: Listing, deal: VenueDeal, nowMs: number): object {
  const size = Math.max(deal.size, 10 ** -coin.sizeDecimals).toFixed(coin.sizeDecimals);
  return printFrame(symbol, deal, { size, priceDecimals, nowMs, st: 1 });
}

/** `q` is in contracts of this many dollars there. */
function printCoinMargined({ coin, priceDecimals }: Listing, deal: VenueDeal, nowMs: number): object {
  const size = Math.max(1, (deal.size * deal.price) / COIN_MARGINED_CONTRACT_USD).toFixed(0);
  return printFrame(`${coin.name}USD_PERP`, deal, { size, priceDecimals, nowMs, st: 2 });
}

interface Printed {
  readonly size: string;
  readonly priceDecimals: number;
  readonly nowMs: number;
  readonly st: 1 | 2;
}

function printFrame(symbol: string, deal: VenueDeal, { size, priceDecimals, nowMs, st }: Printed): object {
  // The order's own price is the bankruptcy price: worse than its fill.
  const worst = deal.price * (deal.side === 'sell' ? 0.995 : 1.005);
  return {
    e: 'forceOrder',
    E: nowMs,
    o: {
      s: symbol,
      S: deal.side.toUpperCase(),
      o: 'LIMIT',
      f: 'IOC',
      q: size,
      p: worst.toFixed(priceDecimals),
      ap: deal.price.toFixed(priceDecimals),
      X: 'FILLED',
      l: size,
      z: size,
      T: deal.ts,
    },
    st,
  };
}
