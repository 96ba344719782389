import { isFields, parseFields } from '../../json.ts';
import type { VenueDeal } from '../../market/venue-market.ts';
import { connectionId } from '../connection-id.ts';
import type { Session, WireSocket } from '../wire.ts';
import { bookTopic, followBook, isBookArg } from './books.ts';
import { type Listing, listingOfDeal, PRODUCT_TYPES, priceOf, printPrice } from './listing.ts';
import { follow, listingOfArg, tradeTopic } from './trades.ts';

const LIQUIDATION = 'liquidation';
const SENT_TYPES: readonly string[] = Object.values(PRODUCT_TYPES).map((type) => type.toLowerCase());
const INSTRUMENT_TYPES: readonly unknown[] = [...SENT_TYPES, 'coin-futures'];
const AMOUNT_DECIMALS = 5;
const GATHER_EVERY_MS = 1000;
/** Liquidations are sent this often, or sooner when this many are waiting [D]. */
const SEND_EVERY_MS = 20_000;
const GATHERED_MAX = 10_000;

/**
 * Trades, books and liquidations only. Connections [K]: 100 at once and 300 in five minutes per IP, 10 messages a second,
 * cut off after two silent minutes.
 * https://www.bitget.com/api-doc/uta/websocket/public/Liquidation-Channel
 */
export const publicSocket: WireSocket = {
  path: '/v3/ws/public',
  socketsMax: 100,
  socketsPerMinute: 60,
  messagesPerMinute: 600,
  silentMaxMs: 120_000,
  everyMs: GATHER_EVERY_MS,
  receive(text, session) {
    if (text === 'ping') return session.send('pong');
    const request = parseFields(text);
    const args = request?.['args'];
    if (!request || !Array.isArray(args)) return refuse(session, undefined, 30003, 'Invalid op');
    for (const arg of args) answer(request['op'], arg, session);
  },
  push: pushLiquidations,
};

function pushLiquidations(session: Session, fromMs: number, toMs: number): void {
  const skewMs = session.skewMs();
  for (const coin of session.market.coins) {
    for (const deal of session.market.liquidations(coin, fromMs, toMs)) {
      const listing = listingOfDeal(coin, deal);
      const instType = PRODUCT_TYPES[listing.quote].toLowerCase();
      if (session.topics.has(instType))
        gatheredOf(session, instType).push(printLiquidation(listing, deal, skewMs));
    }
  }
  const isTime = Math.floor(toMs / SEND_EVERY_MS) > Math.floor(fromMs / SEND_EVERY_MS);
  for (const instType of SENT_TYPES) {
    const gathered = gatheredOf(session, instType);
    if (gathered.length === 0 || (!isTime && gathered.length < GATHERED_MAX)) continue;
    const arg = { instType, topic: LIQUIDATION };
    const data = gathered.splice(0);
    session.send(JSON.stringify({ data, arg, action: 'update', ts: session.nowMs() }));
  }
}

/** Unsent rows of a product; never more than one push beyond the limit. */
function gatheredOf({ memory }: Session, instType: string): object[] {
  const known = memory.get(instType);
  if (Array.isArray(known)) return known as object[];
  const fresh: object[] = [];
  memory.set(instType, fresh);
  return fresh;
}

function answer(op: unknown, arg: unknown, session: Session): void {
  const { instType, topic } = isFields(arg) ? arg : {};
  if (op !== 'subscribe' && op !== 'unsubscribe') return refuse(session, arg, 30003, 'Invalid op');
  const isBook = isBookArg(arg);
  const traded = listingOfArg(session.market, arg);
  if (traded) {
    session.send(JSON.stringify({ event: op, arg, connId: connectionId(session) }));
    if (op === 'unsubscribe') session.leave(isBook ? bookTopic(traded) : tradeTopic(traded));
    else if (isBook) followBook(session, traded, arg);
    else follow(session, traded, arg);
    return;
  }
  if (topic !== LIQUIDATION || typeof instType !== 'string' || !INSTRUMENT_TYPES.includes(instType))
    return refuse(session, arg, 30001, `${JSON.stringify(arg)} doesn't exist`);
  if (op === 'subscribe') session.topics.add(instType);
  else session.topics.delete(instType);
  session.send(JSON.stringify({ event: op, arg, connId: connectionId(session) }));
}

/** {"event":"error","arg":{…},"code":30001,"msg":"… doesn't exist"} */
function refuse(session: Session, arg: unknown, code: number, msg: string): void {
  session.send(JSON.stringify({ event: 'error', arg, code, msg }));
}

/**
 * {"symbol":"APEUSDT","side":"buy","price":"0.1649","amount":"13.70319","ts":"1777358886549"}: `side` is the position's,
 * `amount` in USDT [D], or in USDC [K].
 */
function printLiquidation(listing: Listing, { side, price, size, ts }: VenueDeal, skewMs: number): object {
  return {
    symbol: listing.symbol,
    side: side === 'buy' ? 'sell' : 'buy',
    price: printPrice(price, listing),
    amount: (priceOf(price, listing) * listing.perUnit * size).toFixed(AMOUNT_DECIMALS),
    ts: String(ts + skewMs),
  };
}
