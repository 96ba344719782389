import { type Fields, parseFields } from '../../json.ts';
import type { Session, WireSocket } from '../wire.ts';
import { BOOK_CHANNEL, followBook } from './books.ts';
import { contractsOf, type Listing, listingsOf, printPrice } from './listing.ts';
import { countPrinter } from './sizes.ts';
import { printTrade, TRADE_CHANNEL, tradeMarket } from './trades.ts';

const CHANNEL = 'futures.public_liquidates';
const ALL = '!all';
/** Events of a contract within a second are sent together, but never more than this many at once [D]. */
const GATHER_MS = 1000;
const GATHERED_MAX = 20;

/** The socket of the contracts that settle in USDT, trades and liquidations only. 300 sockets per IP [M]. */
export const publicSocket: WireSocket = {
  path: '/v4/ws/usdt',
  socketsMax: 300,
  socketsPerMinute: 300,
  messagesPerMinute: 3000,
  everyMs: GATHER_MS,
  receive(text, session) {
    const request = parseFields(text);
    if (!request || typeof request['channel'] !== 'string')
      return say(session, { channel: '', event: '', error: { code: 1, message: 'invalid request' } });
    const { channel, event } = request;
    if (channel === 'futures.ping') return say(session, { channel: 'futures.pong', event: '', result: null });
    const isFollowed = channel === TRADE_CHANNEL || channel === BOOK_CHANNEL;
    const wrong = isFollowed ? wrongContracts(request, session) : apply(request, session);
    if (wrong === undefined) {
      say(session, { channel, event, result: { status: 'success' } });
      if (channel === TRADE_CHANNEL) applyTrades(request, session);
      if (channel === BOOK_CHANNEL) applyBook(request, session);
    } else say(session, { channel, event, error: { code: 2, message: wrong }, result: null });
  },
  push(session, fromMs, toMs) {
    if (session.topics.size === 0) return;
    for (const listing of contractsTraded(session)) {
      if (session.topics.has(ALL) || session.topics.has(listing.name))
        pushLiquidations(session, listing, fromMs, toMs);
    }
  },
};

/** Returns what is wrong with a subscription, if anything. */
function apply({ channel, event, payload }: Fields, session: Session): string | undefined {
  if (channel !== CHANNEL) return `unknown channel ${String(channel)}`;
  if (event !== 'subscribe' && event !== 'unsubscribe') return 'unknown event';
  const names = new Set<unknown>([ALL, ...contractsTraded(session).map((listing) => listing.name)]);
  const asked: readonly unknown[] = Array.isArray(payload) ? payload : [];
  const unknown = asked.find((name) => !names.has(name));
  if (asked.length === 0 || unknown !== undefined) return `unknown contract ${String(unknown)}`;
  for (const name of asked) {
    if (event === 'subscribe') session.topics.add(String(name));
    else session.topics.delete(String(name));
  }
  return undefined;
}

/** Returns what is wrong with a subscription to trades or a book, if anything. */
function wrongContracts(request: Fields, session: Session): string | undefined {
  if (request['event'] !== 'subscribe' && request['event'] !== 'unsubscribe') return 'unknown event';
  const names = askedOf(request);
  const listed = new Set(contractsTraded(session).map(({ name }) => name));
  const unknown = names.find((name) => !listed.has(name));
  return names.length === 0 || unknown !== undefined ? `unknown contract ${String(unknown)}` : undefined;
}

/** The contracts of a request; a book has one, then its depth and the grouping of prices. */
function askedOf({ channel, payload }: Fields): readonly string[] {
  const asked = Array.isArray(payload) ? payload.map(String) : [];
  return channel === BOOK_CHANNEL ? asked.slice(0, 1) : asked;
}

function applyBook(request: Fields, session: Session): void {
  const [name = ''] = askedOf(request);
  const listing = contractsTraded(session).find((one) => one.name === name);
  if (!listing || request['event'] === 'unsubscribe') return session.leave(`${BOOK_CHANNEL} ${name}`);
  const frame = (rest: object): string => print(session, rest);
  followBook(session, listing, { count: countPrinter(session.headers), frame });
}

function applyTrades(request: Fields, session: Session): void {
  const printCount = countPrinter(session.headers);
  for (const name of askedOf(request)) {
    const topic = `${TRADE_CHANNEL} ${name}`;
    const listing = contractsTraded(session).find((one) => one.name === name);
    if (!listing || request['event'] === 'unsubscribe') session.leave(topic);
    else
      session.follow(topic, {
        market: tradeMarket(session.market, listing),
        print(deals) {
          const result = deals.map((deal) => printTrade(listing, deal, printCount));
          return [{ text: print(session, { channel: TRADE_CHANNEL, event: 'update', result }), deals }];
        },
      });
  }
}

/** {"time":1545459681,"time_ms":1545459681123,"channel":"futures.public_liquidates","event":"subscribe","result":{…}} */
function print(session: Session, rest: object): string {
  const nowMs = session.nowMs();
  return JSON.stringify({ time: Math.floor(nowMs / 1000), time_ms: nowMs, ...rest });
}

function say(session: Session, rest: object): void {
  session.send(print(session, rest));
}

function contractsTraded({ market }: Session): readonly Listing[] {
  return listingsOf(market).filter(({ coin }) => market.coins.includes(coin));
}

/**
 * {"channel":"futures.public_liquidates","event":"update","time":1541505434,"time_ms":1541505434123,
 *  "result":[{"price":"215.1","size":"-124.5","time":1541486601123,"contract":"BTC_USDT"}]}: `size` is the order's,
 * below zero when it sells [K]; `time` is in milliseconds since 2026-08-20 [D]. A single one comes as a bare object now and
 * then: captured frames of that month have that form [L].
 */
function pushLiquidations(session: Session, listing: Listing, fromMs: number, toMs: number): void {
  const printCount = countPrinter(session.headers);
  const skewMs = session.skewMs();
  const rows = session.market.liquidations(listing.coin, fromMs, toMs).flatMap((deal) => {
    const contracts = contractsOf(deal.size, listing);
    // Less than the smallest order of this venue.
    if (contracts === 0) return [];
    return {
      price: printPrice(deal.price, listing),
      size: printCount(deal.side === 'sell' ? -contracts : contracts),
      time: deal.ts + skewMs,
      contract: listing.name,
    };
  });
  for (let from = 0; from < rows.length; from += GATHERED_MAX) {
    const gathered = rows.slice(from, from + GATHERED_MAX);
    const [first] = gathered;
    const isBare = gathered.length === 1 && first !== undefined && first.time % 2 === 0;
    say(session, { channel: CHANNEL, event: 'update', result: isBare ? first : gathered });
  }
}
