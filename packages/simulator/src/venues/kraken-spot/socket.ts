import { isFields, parseFields } from '../../json.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import { changedQuote, forgetQuote, QUOTES_EVERY_MS } from '../changed-quote.ts';
import { spotMarketOf, tickOf } from '../spot-pairs.ts';
import type { PrintTrades, Session, WireSocket } from '../wire.ts';
import { BOOK_CHANNEL, bookTopic, followBook } from './books.ts';
import { krakenPairs, type Pair } from './pairs.ts';
import { isoOf, printTrade, TRADE_CHANNEL, tradeMarket, tradeTopic } from './trades.ts';

const CHANNEL = 'ticker';
/** In a snapshot [D]. */
const SNAPSHOT_TRADES = 50;
const BEAT_EVERY_MS = 1_000;

/**
 * The second version of the public socket, with its channels of trades, books and tickers: an update on every change of the best bid or ask
 * (`bbo`), or on every trade. Once there is a subscription, a heartbeat comes in each second without another message.
 * https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/ticker
 */
export const publicSocket: WireSocket = {
  path: '/v2',
  socketsMax: 50,
  // About 150 in ten minutes [D].
  socketsPerMinute: 15,
  // None is published.
  messagesPerMinute: 600,
  silentMaxMs: 60_000,
  everyMs: QUOTES_EVERY_MS,
  greet(session) {
    const data = [{ version: '2.0.10', system: 'online', api_version: 'v2', connection_id: session.nowMs() }];
    session.send(JSON.stringify({ channel: 'status', type: 'update', data }));
  },
  receive,
  push(session, fromMs, toMs) {
    let isSilent = session.topics.size > 0;
    for (const symbol of session.topics) {
      const pair = findPair(session.market, symbol);
      if (!pair || !isDue(session, symbol, pair, fromMs, toMs)) continue;
      send(session, 'update', pair);
      isSilent = false;
    }
    const isBeat = Math.floor(fromMs / BEAT_EVERY_MS) !== Math.floor(toMs / BEAT_EVERY_MS);
    if (isSilent && isBeat) session.send('{"channel":"heartbeat"}');
  },
};

function isDue(session: Session, symbol: string, pair: Pair, fromMs: number, toMs: number): boolean {
  if (session.memory.get(`trigger ${symbol}`) === 'bbo')
    return changedQuote(session, symbol, pair) !== undefined;
  return spotMarketOf(session.market).deals(pair, fromMs, toMs).length > 0;
}

function receive(text: string, session: Session): void {
  const request = parseFields(text);
  const { method, params } = request ?? {};
  const times = { time_in: isoOf(session.nowMs()), time_out: isoOf(session.nowMs()) };
  if (method === 'ping') return session.send(JSON.stringify({ method: 'pong', ...times }));
  const isKnown = method === 'subscribe' || method === 'unsubscribe';
  const {
    channel,
    symbol: symbols,
    event_trigger: trigger = 'trades',
    snapshot = false,
  } = isFields(params) ? params : {};
  const isChannel = channel === CHANNEL || channel === TRADE_CHANNEL || channel === BOOK_CHANNEL;
  if (!isKnown || !isChannel || !Array.isArray(symbols)) {
    return session.send(JSON.stringify({ error: 'Malformed request', method, success: false, ...times }));
  }
  for (const symbol of symbols.map(String)) {
    const pair = findPair(session.market, symbol);
    if (!pair) {
      const error = `Currency pair not supported ${symbol}`;
      session.send(JSON.stringify({ error, method, success: false, symbol, ...times }));
      continue;
    }
    if (channel === BOOK_CHANNEL) {
      const reported = { channel, depth: 25, snapshot, symbol };
      session.send(JSON.stringify({ method, result: reported, success: true, ...times }));
      if (method === 'subscribe') followBook(session, pair);
      else session.leave(bookTopic(pair));
      continue;
    }
    if (channel === TRADE_CHANNEL) {
      const reported = { channel, snapshot, symbol };
      session.send(JSON.stringify({ method, result: reported, success: true, ...times }));
      if (method === 'subscribe') follow(session, pair, snapshot === true);
      else session.leave(tradeTopic(pair));
      continue;
    }
    const result = { channel: CHANNEL, event_trigger: trigger, snapshot: true, symbol };
    session.send(JSON.stringify({ method, result, success: true, ...times }));
    forgetQuote(session, symbol);
    if (method === 'unsubscribe') session.topics.delete(symbol);
    else {
      session.topics.add(symbol);
      session.memory.set(`trigger ${symbol}`, trigger);
      send(session, 'snapshot', pair);
    }
  }
}

/** {"channel":"trade","type":"update","data":[{…}]}: https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/trade [D] */
function follow(session: Session, pair: Pair, hasSnapshot: boolean): void {
  const printAs =
    (type: 'snapshot' | 'update'): PrintTrades =>
    (deals) => {
      const data = deals.map((deal) => printTrade(pair, deal));
      return [{ text: JSON.stringify({ channel: TRADE_CHANNEL, type, data }), deals }];
    };
  const snapshot = { count: SNAPSHOT_TRADES, print: printAs('snapshot') };
  session.follow(tradeTopic(pair), {
    market: tradeMarket(session.market, pair),
    print: printAs('update'),
    ...(hasSnapshot && { snapshot }),
  });
}

/** Plain spelling: BTC/USD, where the REST API uses XXBTZUSD. */
function findPair(market: VenueMarket, symbol: string): Pair | undefined {
  return krakenPairs(market).find(
    ({ base, quote, status }) => status === 'online' && `${base}/${quote}` === symbol,
  );
}

/** Figures are JSON numbers here [D]. */
function send(session: Session, type: 'snapshot' | 'update', pair: Pair): void {
  const nowMs = session.nowMs();
  const { bid, ask, last, before, volume } = tickOf(session.market, pair, nowMs);
  const price = (value: number): number => Number(value.toFixed(pair.priceDecimals));
  const row = {
    symbol: `${pair.base}/${pair.quote}`,
    bid: price(bid),
    bid_qty: 1.02,
    ask: price(ask),
    ask_qty: 0.61,
    last: price(last),
    volume: Number(volume.toFixed(8)),
    vwap: price((last + before) / 2),
    low: price(Math.min(last, before)),
    high: price(Math.max(last, before)),
    change: price(last - before),
    change_pct: Number(((last / before - 1) * 100).toFixed(2)),
    timestamp: isoOf(nowMs),
  };
  session.send(JSON.stringify({ channel: CHANNEL, type, data: [row] }));
}
