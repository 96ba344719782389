import { hashText } from '@crosstape/core';
import { isFields, parseFields } from '../../json.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import type { Session, WireSocket } from '../wire.ts';
import { bookArgOf, bookTopic, followBook } from './books.ts';
import { printOrder } from './forced-orders.ts';
import { liveListings, mainListing } from './listing.ts';
import { follow, swapTrades, tradesArgOf, tradeTopic } from './trades.ts';

const CHANNEL = 'liquidation-orders';
const TYPES: readonly unknown[] = ['SWAP', 'FUTURES', 'MARGIN', 'OPTION'];
/** How far back the first message after a subscription goes. */
const BACKFILL_MS = 600_000;

/**
 * The public socket with its channels of trades, books and forced orders, of these at most one per contract and second [D].
 * The first message after a subscription to forced orders is of the past [T].
 */
export const publicSocket: WireSocket = {
  path: '/ws/v5/public',
  socketsMax: 30,
  // Three a second [M].
  socketsPerMinute: 180,
  // 480 subscriptions an hour [D], and pings.
  messagesPerMinute: 480,
  silentMaxMs: 30_000,
  everyMs: 1000,
  receive,
  push(session, fromMs, toMs) {
    if (session.topics.has('SWAP')) emit(session, fromMs, toMs);
  },
};

function receive(text: string, session: Session): void {
  if (text === 'ping') return session.send('pong');
  const { op, args } = parseFields(text) ?? {};
  const isKnown = op === 'subscribe' || op === 'unsubscribe';
  if (!isKnown || !Array.isArray(args)) return refuse(session, '60012', `Invalid request: ${text}`);
  for (const arg of args as readonly unknown[]) {
    const instId = tradesArgOf(arg) ?? bookArgOf(arg);
    if (isFields(arg) && instId !== undefined) {
      followContract(session, op, { channel: String(arg.channel), instId });
      continue;
    }
    if (!isFields(arg) || arg.channel !== CHANNEL || !TYPES.includes(arg.instType)) {
      refuse(session, '60018', `Wrong URL or ${printArg(arg)} doesn't exist. Please use the correct URL.`);
      continue;
    }
    const topic = String(arg.instType);
    session.send(JSON.stringify({ event: op, arg, connId: connectionId(session) }));
    if (op === 'unsubscribe') session.topics.delete(topic);
    else {
      session.topics.add(topic);
      const nowMs = session.nowMs();
      if (topic === 'SWAP') emit(session, nowMs - BACKFILL_MS, nowMs);
    }
  }
}

function followContract(
  session: Session,
  op: 'subscribe' | 'unsubscribe',
  arg: { readonly channel: string; readonly instId: string },
): void {
  const { instId } = arg;
  const isBook = bookArgOf(arg) !== undefined;
  const listing = liveListings(session.market).find((one) => one.instId === instId);
  if (!listing)
    return refuse(
      session,
      '60018',
      `Wrong URL or ${printArg(arg)} doesn't exist. Please use the correct URL.`,
    );
  session.send(JSON.stringify({ event: op, arg, connId: connectionId(session) }));
  if (op === 'unsubscribe') return session.leave(isBook ? bookTopic(instId) : tradeTopic(instId));
  const printed = swapTrades(session.market, listing);
  if (isBook) followBook(session, printed);
  else follow(session, printed);
}

function refuse(session: Session, code: string, msg: string): void {
  session.send(JSON.stringify({ event: 'error', code, msg, connId: connectionId(session) }));
}

function printArg(arg: unknown): string {
  if (!isFields(arg)) return JSON.stringify(arg);
  return Object.entries(arg)
    .map(([name, value]) => `${name}:${String(value)}`)
    .join(',');
}

/** Eight digits, the same as long as the connection lasts. */
function connectionId(session: Session): string {
  const known = session.memory.get('connId');
  if (typeof known === 'string') return known;
  const id = (hashText(`okx ${session.nowMs()}`) >>> 0).toString(16).padStart(8, '0');
  session.memory.set('connId', id);
  return id;
}

function emit(session: Session, fromMs: number, toMs: number): void {
  const rows = latestOrders(session.market, fromMs, toMs);
  if (rows.length > 0) {
    session.send(JSON.stringify({ arg: { channel: CHANNEL, instType: 'SWAP' }, data: rows }));
  }
}

/** The last forced order of each contract, as the venue prints it. */
function latestOrders(market: VenueMarket, fromMs: number, toMs: number): readonly object[] {
  return market.coins.flatMap((coin) => {
    const order = market.liquidations(coin, fromMs, toMs).at(-1);
    return order ? [printOrder(mainListing(coin), [order])] : [];
  });
}
