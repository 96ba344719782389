import type { VenueMarket } from '../../market/venue-market.ts';
import { changedQuote, forgetQuote, type PrintedQuote, QUOTES_EVERY_MS, quoteOf } from '../changed-quote.ts';
import { perMarket } from '../per-market.ts';
import { BOOK_TOPIC, followBook } from '../bybit/books.ts';
import { publicSocketOf, type SendReply } from '../bybit/public-socket.ts';
import { type BybitTrades, follow, TRADE_TOPIC } from '../bybit/trades.ts';
import { pairsOf, printPrice, printSize, type SpotPair } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import type { Session } from '../wire.ts';

const TOPIC = 'orderbook.1.';
/** Per request [D]. */
const ARGS_MAX = 10;
/** First trade id. */
const ID_FIRST = 2_290_000_000_000_000_000n;
const ID_STEP = 7n;
/** Unchanged state is sent again after this long [D]. */
const AGAIN_MS = 3_000;

/**
 * The public socket of spot pairs: trades, the first level of books, and books.
 * https://bybit-exchange.github.io/docs/v5/websocket/public/orderbook
 */
export const spotSocket = publicSocketOf({
  path: '/v5/public/spot',
  subscribe,
  everyMs: QUOTES_EVERY_MS,
  push(session) {
    for (const topic of session.topics) {
      const pair = topic.startsWith(TOPIC) ? pairOf(session, topic) : undefined;
      if (!pair) continue;
      const changed = changedQuote(session, topic, pair);
      const sentMs = (session.memory.get(`sent ${topic}`) as number | undefined) ?? 0;
      if (changed) send(session, topic, pair, changed);
      else if (session.nowMs() - sentMs >= AGAIN_MS) send(session, topic, pair, quoteOf(session, pair));
    }
  },
});

/** All topics of a request or none. The texts of refusals are a guess [K]. */
function subscribe(args: readonly string[], session: Session, reply: SendReply): void {
  if (args.length > ARGS_MAX) {
    session.violate('args');
    return reply(false, 'error:args size >10');
  }
  const unknown = args.find((arg) => !pairOf(session, arg));
  if (unknown !== undefined) return reply(false, `error:handler not found,topic:${unknown}`);
  reply(true, 'subscribe');
  for (const topic of args) {
    const pair = pairOf(session, topic);
    if (pair && topic.startsWith(TRADE_TOPIC)) follow(session, pairTrades(session.market, pair));
    else if (pair && topic.startsWith(BOOK_TOPIC)) followBook(session, pairTrades(session.market, pair));
    else {
      forgetQuote(session, topic);
      session.topics.add(topic);
    }
  }
}

function pairOf({ market }: Session, topic: string): SpotPair | undefined {
  const prefix = [TOPIC, TRADE_TOPIC, BOOK_TOPIC].find((one) => topic.startsWith(one));
  const symbol = prefix === undefined ? '' : topic.slice(prefix.length);
  return spotPairs(market).find(({ base, quote }) => base + quote === symbol);
}

export const spotPairs = perMarket((market) => pairsOf(market, ['USDT', 'USDC'], [['ETH', 'BTC', 5]]));

/** Ids of spot trades are numbers in text, like `2290000000067260558` [D]; that they have gaps is a guess [K]. */
export function pairTrades(market: VenueMarket, pair: SpotPair): BybitTrades {
  return {
    market: spotTrades(market, pair.base + pair.quote, pair),
    price: ({ price }) => printPrice(price, pair),
    size: ({ size }) => printSize(size),
    id: ({ id }) => String(ID_FIRST + BigInt(id) * ID_STEP),
    hasDirection: false,
  };
}

/** {"topic":"orderbook.1.BTCUSDT","ts":1672304484978,"type":"snapshot","data":{…},"cts":1672304484976} [D] */
function send(session: Session, topic: string, { base, quote }: SpotPair, { bid, ask }: PrintedQuote): void {
  const ts = session.nowMs();
  session.memory.set(`sent ${topic}`, ts);
  const data = { s: base + quote, b: [[bid, '0.006']], a: [[ask, '0.029']], u: ts % 1e8, seq: ts };
  session.send(JSON.stringify({ topic, ts, type: 'snapshot', data, cts: ts - 2 }));
}
