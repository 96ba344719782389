import { parseFields } from '../../json.ts';
import { changedQuote, forgetQuote, type PrintedQuote, QUOTES_EVERY_MS, quoteOf } from '../changed-quote.ts';
import { connectionId } from '../connection-id.ts';
import { perMarket } from '../per-market.ts';
import { pairsOf, type SpotPair } from '../spot-pairs.ts';
import type { Session, WireSocket } from '../wire.ts';

const TOPIC = 'orderbook.1.';
/** Of one request [D]. */
const ARGS_MAX = 10;
/** What has not changed for so long is sent again [D]. */
const AGAIN_MS = 3_000;

/**
 * The public socket of spot pairs, of which the first level of books is spoken.
 * https://bybit-exchange.github.io/docs/v5/websocket/public/orderbook
 */
export const spotSocket: WireSocket = {
  path: '/v5/public/spot',
  socketsMax: 1000,
  // 500 in five minutes [D].
  socketsPerMinute: 100,
  // None is published.
  messagesPerMinute: 100_000,
  silentMaxMs: 600_000,
  everyMs: QUOTES_EVERY_MS,
  hear,
  push(session) {
    for (const topic of session.topics) {
      const pair = pairOf(session, topic);
      if (!pair) continue;
      const changed = changedQuote(session, topic, pair);
      const sentMs = (session.memory.get(`sent ${topic}`) as number | undefined) ?? 0;
      if (changed) send(session, topic, pair, changed);
      else if (session.nowMs() - sentMs >= AGAIN_MS) send(session, topic, pair, quoteOf(session, pair));
    }
  },
};

function hear(text: string, session: Session): void {
  const request = parseFields(text) ?? {};
  const { op, req_id: id = '' } = request;
  const args = Array.isArray(request['args']) ? request['args'].map(String) : [];
  const reply = (success: boolean, message: string): void =>
    session.send(
      JSON.stringify({ success, ret_msg: message, conn_id: connectionId(session), req_id: id, op }),
    );
  switch (op) {
    case 'ping':
      return reply(true, 'pong');
    case 'subscribe':
      return subscribe(args, session, reply);
    case 'unsubscribe':
      for (const topic of args) session.topics.delete(topic);
      return reply(true, '');
    default:
      return reply(false, 'error:invalid op');
  }
}

/** All topics of a request or none. The words of the refusals are a guess [K]. */
function subscribe(
  args: readonly string[],
  session: Session,
  reply: (success: boolean, message: string) => void,
): void {
  if (args.length > ARGS_MAX) {
    session.violate('args');
    return reply(false, 'error:args size >10');
  }
  const unknown = args.find((arg) => !pairOf(session, arg));
  if (unknown !== undefined) return reply(false, `error:handler not found,topic:${unknown}`);
  for (const topic of args) {
    forgetQuote(session, topic);
    session.topics.add(topic);
  }
  reply(true, 'subscribe');
}

function pairOf({ market }: Session, topic: string): SpotPair | undefined {
  if (!topic.startsWith(TOPIC)) return undefined;
  const symbol = topic.slice(TOPIC.length);
  return spotPairs(market).find(({ base, quote }) => base + quote === symbol);
}

export const spotPairs = perMarket((market) => pairsOf(market, ['USDT', 'USDC'], [['ETH', 'BTC', 5]]));

/** {"topic":"orderbook.1.BTCUSDT","ts":1672304484978,"type":"snapshot","data":{…},"cts":1672304484976} [D] */
function send(session: Session, topic: string, { base, quote }: SpotPair, { bid, ask }: PrintedQuote): void {
  const ts = session.nowMs();
  session.memory.set(`sent ${topic}`, ts);
  const data = { s: base + quote, b: [[bid, '0.006']], a: [[ask, '0.029']], u: ts % 1e8, seq: ts };
  session.send(JSON.stringify({ topic, ts, type: 'snapshot', data, cts: ts - 2 }));
}
