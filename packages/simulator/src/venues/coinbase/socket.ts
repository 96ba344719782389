import { isFields, parseFields } from '../../json.ts';
import type { SpotDeal } from '../../market/spot-market.ts';
import { isWithinSecond } from '../per-second.ts';
import { printPrice, printSize, spotMarketOf, tickOf } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import type { PrintTrades, Session, WireSocket } from '../wire.ts';
import { followBook } from './books.ts';
import { findProduct, type Product } from './products.ts';
import { isoOf, type PrintedDeal, printDeal } from './rest.ts';

const PUSH_EVERY_MS = 250;
const BEAT_EVERY_MS = 1000;
const MESSAGES_PER_SECOND = 100;
const CHANNELS = ['matches', 'ticker', 'level2_batch', 'heartbeat'] as const;
type Channel = (typeof CHANNELS)[number];

/**
 * The public feed: trades, tickers, books and heartbeats only. Per IP 8 connections a second, per connection 100 messages
 * a second [D]; how many connections there may be is not published [K].
 * https://docs.cdp.coinbase.com/exchange/websocket-feed/channels
 */
export const feedSocket: WireSocket = {
  path: '/',
  socketsMax: 50,
  socketsPerMinute: 100,
  messagesPerMinute: MESSAGES_PER_SECOND * 60,
  everyMs: PUSH_EVERY_MS,
  receive(text, session) {
    if (isWithinSecond(session, MESSAGES_PER_SECOND)) return answer(text, session);
    session.violate('messages');
    session.close(1008, 'Rate limit exceeded');
  },
  push(session, fromMs, toMs) {
    const isBeat = Math.floor(fromMs / BEAT_EVERY_MS) !== Math.floor(toMs / BEAT_EVERY_MS);
    for (const topic of session.topics) {
      const [channel, id] = topic.split(' ');
      const product = findProduct(session.market, id);
      if (!product) continue;
      if (channel === 'ticker') sendTickers(session, product, fromMs, toMs);
      else if (channel === 'heartbeat' && isBeat) sendBeat(session, product, toMs);
    }
  },
};

/** → {"type":"subscribe","product_ids":["BTC-USD"],"channels":["matches","heartbeat"]} */
function answer(text: string, session: Session): void {
  const request = parseFields(text);
  const { type, product_ids: ids, channels } = request ?? {};
  if (type !== 'subscribe' && type !== 'unsubscribe') return refuse(session, 'Malformed message', '');
  if (!Array.isArray(ids) || !Array.isArray(channels))
    return refuse(session, 'Failed to subscribe', 'no product');
  const products = ids.map((id) => findProduct(session.market, id));
  const odd = ids.find((_, i) => products[i] === undefined) as unknown;
  if (odd !== undefined)
    return refuse(session, 'Failed to subscribe', `${JSON.stringify(odd)} is not a valid product`);
  const names = channels.map((channel) => (isFields(channel) ? channel['name'] : channel));
  const wanted = CHANNELS.filter((channel) => names.includes(channel));
  if (wanted.length < names.length)
    return refuse(
      session,
      'Failed to subscribe',
      `${String(names.find((name) => !isChannel(name)))} is not a valid channel`,
    );
  for (const product of products) if (product) toggle(session, type, wanted, product);
  const all = CHANNELS.map((name) => subscribed(session, name)).filter((one) => one.product_ids.length > 0);
  session.send(JSON.stringify({ type: 'subscriptions', channels: all }));
}

function isChannel(name: unknown): name is Channel {
  return (CHANNELS as readonly unknown[]).includes(name);
}

function toggle(session: Session, type: string, channels: readonly Channel[], product: Product): void {
  for (const channel of channels) {
    const topic = `${channel} ${product.id}`;
    if (type !== 'subscribe') session.leave(topic);
    else if (channel === 'matches') follow(session, topic, product);
    else if (channel === 'level2_batch') followBook(session, topic, product);
    else session.topics.add(topic);
  }
  if (type !== 'subscribe' || !channels.includes('ticker')) return;
  const last = spotMarketOf(session.market).lastDeal(product, session.nowMs());
  sendTicker(session, product, last, 0);
}

/** A frame for each trade; first the newest of the past, under another name. */
function follow(session: Session, topic: string, product: Product): void {
  const printAs =
    (type: 'match' | 'last_match'): PrintTrades =>
    (deals) =>
      deals.map((deal) => ({ text: printMatch(type, deal, product), deals: [deal] }));
  session.follow(topic, {
    market: spotTrades(session.market, product.id, product),
    print: printAs('match'),
    snapshot: { count: 1, print: printAs('last_match') },
  });
}

function subscribed(
  { topics }: Session,
  name: Channel,
): { readonly name: Channel; readonly product_ids: readonly string[] } {
  const ids = [...topics]
    .filter((topic) => topic.startsWith(`${name} `))
    .map((topic) => topic.slice(name.length + 1));
  return { name, product_ids: ids };
}

/** One beside each match, with the book as it is then [D]. */
function sendTickers(session: Session, product: Product, fromMs: number, toMs: number): void {
  const skewMs = session.skewMs();
  for (const deal of spotMarketOf(session.market).deals(product, fromMs, toMs))
    sendTicker(session, product, deal, skewMs);
}

/** https://docs.cdp.coinbase.com/exchange/websocket-feed/channels#ticker-channel [D] */
function sendTicker(session: Session, product: Product, deal: SpotDeal, skewMs: number): void {
  const { market } = session;
  const { before, volume } = tickOf(market, product, deal.ts);
  const { bid, ask } = spotMarketOf(market).quote(product, deal.ts);
  const price = (value: number): string => printPrice(value, product);
  const frame = {
    type: 'ticker',
    sequence: 3 * deal.id + 2,
    product_id: product.id,
    price: price(deal.price),
    open_24h: price(before),
    volume_24h: printSize(volume),
    low_24h: price(Math.min(before, deal.price)),
    high_24h: price(Math.max(before, deal.price)),
    volume_30d: printSize(30 * volume),
    best_bid: price(bid),
    best_bid_size: '0.46688654',
    best_ask: price(ask),
    best_ask_size: '1.56637040',
    side: deal.side,
    time: isoOf(deal.ts + skewMs),
    trade_id: deal.id,
    last_size: printSize(deal.size),
  };
  session.send(JSON.stringify(frame));
}

function sendBeat(session: Session, product: Product, nowMs: number): void {
  const { id } = spotMarketOf(session.market).lastDeal(product, nowMs);
  const beat = { type: 'heartbeat', last_trade_id: id, product_id: product.id, sequence: 3 * id + 1 };
  session.send(JSON.stringify({ ...beat, time: isoOf(session.nowMs()) }));
}

function printMatch(type: string, deal: PrintedDeal, product: Product): string {
  return JSON.stringify({
    type,
    ...printDeal(deal, product),
    maker_order_id: uuidOf(2 * deal.id + 1),
    taker_order_id: uuidOf(2 * deal.order),
    product_id: product.id,
    sequence: 3 * deal.id,
  });
}

function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** {"type":"error","message":"Failed to subscribe","reason":"FOO-USD is not a valid product"} [D] */
function refuse(session: Session, message: string, reason: string): void {
  session.send(JSON.stringify({ type: 'error', message, reason }));
}
