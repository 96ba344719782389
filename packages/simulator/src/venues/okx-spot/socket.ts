import { isFields, parseFields } from '../../json.ts';
import { changedQuote, forgetQuote, QUOTES_EVERY_MS } from '../changed-quote.ts';
import { connectionId } from '../connection-id.ts';
import { follow, tradesArgOf, tradeTopic } from '../okx/trades.ts';
import type { Session, WireSocket } from '../wire.ts';
import { findPair, printTicker } from './tickers.ts';
import { bookArgOf, bookTopic, followBook } from '../okx/books.ts';
import { pairTrades } from './trades.ts';

const CHANNEL = 'tickers';

/**
 * The public socket with its channels of tickers and trades.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-ws-tickers-channel
 */
export const publicSocket: WireSocket = {
  path: '/ws/v5/public',
  socketsMax: 30,
  // Three a second [M].
  socketsPerMinute: 180,
  // 480 subscriptions an hour [D], and pings.
  messagesPerMinute: 480,
  silentMaxMs: 30_000,
  everyMs: QUOTES_EVERY_MS,
  receive,
  push(session) {
    for (const instId of session.topics) {
      const pair = findPair(session.market, instId);
      if (!pair || !changedQuote(session, instId, pair)) continue;
      const row = printTicker(pair, session.market, session.nowMs());
      session.send(JSON.stringify({ arg: { channel: CHANNEL, instId }, data: [row] }));
    }
  },
};

function receive(text: string, session: Session): void {
  if (text === 'ping') return session.send('pong');
  const { op, args } = parseFields(text) ?? {};
  if ((op !== 'subscribe' && op !== 'unsubscribe') || !Array.isArray(args))
    return refuse(session, '60012', `Invalid request: ${text}`);
  for (const arg of args as readonly unknown[]) {
    const booked = bookArgOf(arg);
    const traded = tradesArgOf(arg) ?? booked;
    const isTicker = isFields(arg) && arg['channel'] === CHANNEL;
    const instId = traded ?? (isTicker ? String(arg['instId']) : '');
    const pair = findPair(session.market, instId);
    if (!pair) {
      const named = `channel:${isFields(arg) ? String(arg['channel']) : ''},instId:${instId}`;
      refuse(session, '60018', `Wrong URL or ${named} doesn't exist. Please use the correct URL.`);
      continue;
    }
    session.send(JSON.stringify({ event: op, arg, connId: connectionOf(session) }));
    if (traded !== undefined) {
      const printed = pairTrades(session.market, pair);
      if (op === 'unsubscribe') session.leave(booked === undefined ? tradeTopic(instId) : bookTopic(instId));
      else if (booked === undefined) follow(session, printed);
      else followBook(session, printed);
      continue;
    }
    forgetQuote(session, instId);
    if (op === 'subscribe') session.topics.add(instId);
    else session.topics.delete(instId);
  }
}

function refuse(session: Session, code: string, msg: string): void {
  session.send(JSON.stringify({ event: 'error', code, msg, connId: connectionOf(session) }));
}

/** Eight digits. */
function connectionOf(session: Session): string {
  return connectionId(session).slice(0, 8);
}
