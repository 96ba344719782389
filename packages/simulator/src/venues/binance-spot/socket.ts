import { parseFields } from '../../json.ts';
import { changedQuote, forgetQuote, QUOTES_EVERY_MS } from '../changed-quote.ts';
import { isWithinSecond } from '../per-second.ts';
import { spotTrades } from '../spot-trades.ts';
import type { Session, WireSocket } from '../wire.ts';
import { followBook } from './books.ts';
import { findListing } from './listings.ts';
import { printTrade } from './trades.ts';

const MESSAGES_PER_SECOND = 5;
const LIFETIME_MS = 24 * 3_600_000;
const STREAM = /^([a-z0-9]+)@bookTicker$/;
const TRADES = /^([a-z0-9]+)@aggTrade$/;
const TRADES_EVERY_MS = 100;
/** Of one connection [D]. */
const STREAMS_MAX = 1024;

/**
 * Market streams, trades, books and book tickers only: raw at `/ws`, wrapped at `/stream`. Per IP 300 connections in 5
 * minutes; a connection lives for a day and takes 5 messages a second [D]. A stream that does not exist is acknowledged
 * and silent [K].
 * https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams
 */
export const streamSockets: readonly WireSocket[] = ['/ws*', '/stream*'].map((path) => ({
  path,
  socketsMax: 300,
  socketsPerMinute: 60,
  messagesPerMinute: MESSAGES_PER_SECOND * 60,
  everyMs: QUOTES_EVERY_MS,
  tradesEveryMs: TRADES_EVERY_MS,
  greet(session) {
    session.memory.set('openedMs', session.nowMs());
    const named = isWrapped(session)
      ? session.query.get('streams')?.split('/')
      : [session.path.split('/ws/')[1]];
    for (const name of named ?? []) if (name) subscribe(session, decodeURIComponent(name));
  },
  receive(text, session) {
    if (isWithinSecond(session, MESSAGES_PER_SECOND)) return answer(text, session);
    session.violate('messages');
    session.close(1008, 'Too many requests');
  },
  push(session) {
    const { topics, memory } = session;
    if (session.nowMs() - Number(memory.get('openedMs')) >= LIFETIME_MS) return session.close(1000, '');
    for (const topic of topics) {
      const listing = findListing(session.market, STREAM.exec(topic)?.[1]?.toUpperCase());
      const quote = listing?.status === 'TRADING' && changedQuote(session, topic, listing);
      if (!listing || !quote) continue;
      const { bid: b, ask: a } = quote;
      const sizes = { B: '31.21000000', A: '40.66000000' };
      const data = { u: session.nowMs(), s: listing.symbol, b, B: sizes.B, a, A: sizes.A };
      session.send(printEvent(session, topic, data));
    }
  },
}));

function isWrapped({ path }: Session): boolean {
  return path.startsWith('/stream');
}

function printEvent(session: Session, stream: string, data: object): string {
  return JSON.stringify(isWrapped(session) ? { stream, data } : data);
}

function subscribe(session: Session, stream: string): void {
  if (session.topics.size >= STREAMS_MAX) return session.violate('streams');
  if (followBook(session, stream, printEvent)) return;
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

/** → {"method":"SUBSCRIBE","params":["btcusdt@bookTicker"],"id":1} ← {"result":null,"id":1} */
function answer(text: string, session: Session): void {
  const request = parseFields(text);
  if (!request) return refuse(session, 3, 'Invalid JSON: expected value at line 1 column 1');
  const { method, params, id } = request;
  if (method === 'LIST_SUBSCRIPTIONS')
    return session.send(JSON.stringify({ result: [...session.topics], id }));
  if (method !== 'SUBSCRIBE' && method !== 'UNSUBSCRIBE')
    return refuse(session, 2, `Invalid request: unknown variant ${String(method)}`);
  if (!Array.isArray(params)) return refuse(session, 2, 'Invalid request: params must be an array of texts');
  for (const name of params.map(String)) {
    forgetQuote(session, name);
    if (method === 'SUBSCRIBE') subscribe(session, name);
    else session.leave(name);
  }
  session.send(JSON.stringify({ result: null, id }));
}

function refuse(session: Session, code: number, msg: string): void {
  session.send(JSON.stringify({ code, msg }));
}
