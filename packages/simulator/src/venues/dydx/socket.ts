import { isFields } from '../../json.ts';
import { connectionId } from '../connection-id.ts';
import type { Session, WireSocket } from '../wire.ts';
import { type DydxMarket, marketsOf } from './markets.ts';
import { newestTrades, printTrade, type WireTrade } from './trades.ts';

const CHANNEL = 'v4_trades';
/** Channels that the indexer has and this one does not speak. */
const OTHERS = ['v4_subaccounts', 'v4_parent_subaccounts', 'v4_orderbook', 'v4_candles', 'v4_markets'];
/** Of one channel on one connection [D]. */
const IDS_MAX = 32;
/** Of the same id, in a second [D]. */
const ATTEMPTS_MAX = 2;
const ATTEMPT_SPAN_MS = 1000;
const POLICY_VIOLATION = 1008;

/**
 * Requests, answers and refusals as the indexer's source words them [D].
 * https://github.com/dydxprotocol/v4-chain/tree/main/indexer/services/socks
 */
export const socket: WireSocket = {
  path: '/v4/ws',
  // Nothing is published on connections or messages.
  socketsMax: 1000,
  socketsPerMinute: 1000,
  messagesPerMinute: 100_000,
  greet: (session) => send(session, { type: 'connected' }),
  hear,
  // Batches are sent every 250 ms [D].
  everyMs: 250,
  push,
};

/** Each message carries the connection's id and its own number, from 0. */
function send(
  session: Session,
  { type, ...rest }: { readonly type: string; readonly [field: string]: unknown },
): void {
  const next = (session.memory.get('messageId') as number | undefined) ?? 0;
  session.memory.set('messageId', next + 1);
  session.send(JSON.stringify({ type, connection_id: connectionId(session), message_id: next, ...rest }));
}

function hear(text: string, session: Session): void {
  const refuse = (message: string): void => send(session, { type: 'error', message });
  const request = readRequest(text);
  if (!request) return refuse('Invalid message: could not parse');
  const { type, channel, id, isBatched } = request;
  if (type === undefined) return refuse('Invalid message: type is required');
  if (type === 'ping') return;
  if (type !== 'subscribe' && type !== 'unsubscribe') return refuse(`Invalid message type: ${type}`);
  if (channel === undefined) return refuse('Invalid subscribe message: channel is required');
  if (OTHERS.includes(channel))
    return refuse(`Internal error, could not fetch data for subscription: ${channel}.`);
  if (channel !== CHANNEL) return refuse(`Invalid channel: ${channel}`);
  if (id === undefined) return refuse('Invalid id: undefined');
  if (type === 'subscribe') return subscribe(session, { id, isBatched, refuse });
  session.topics.delete(id);
  send(session, { type: 'unsubscribed', channel, id });
}

function subscribe(
  session: Session,
  asked: { readonly id: string; readonly isBatched: boolean; readonly refuse: (message: string) => void },
): void {
  const { id, isBatched, refuse } = asked;
  const one = marketsOf(session.market).find((candidate) => candidate.ticker === id);
  if (!one) return refuse(`Invalid subscription id for channel: (${CHANNEL}-${id})`);
  if (session.topics.size >= IDS_MAX) {
    session.violate('ids');
    return refuse(`Per-connection subscription limit reached for ${CHANNEL} (limit=${IDS_MAX}).`);
  }
  if (attempts(session, id) > ATTEMPTS_MAX) {
    session.violate('subscribes');
    refuse(`Too many subscribe attempts for channel ${CHANNEL}-${id}. Please  reconnect and try again.`);
    return session.close(POLICY_VIOLATION, '{"message":"Rate limited"}');
  }
  if (session.topics.has(id))
    return refuse(`Invalid subscribe message: already subscribed (${CHANNEL}-${id})`);
  session.topics.add(id);
  session.memory.set(`batched ${id}`, isBatched);
  const contents = { trades: newestTrades(one, session.market, session.nowMs()) };
  send(session, { type: 'subscribed', channel: CHANNEL, id, contents });
}

/** How often the client has tried this id in the last second, this time included. */
function attempts(session: Session, id: string): number {
  const nowMs = session.nowMs();
  const before = (session.memory.get(`attempts ${id}`) as readonly number[] | undefined) ?? [];
  const recent = [...before.filter((atMs) => atMs > nowMs - ATTEMPT_SPAN_MS), nowMs];
  session.memory.set(`attempts ${id}`, recent);
  return recent.length;
}

function push(session: Session, fromMs: number, toMs: number): void {
  for (const one of marketsOf(session.market)) {
    if (one.status !== 'ACTIVE' || !session.topics.has(one.ticker)) continue;
    const blocks = blocksOf(one, session, { fromMs, toMs });
    if (blocks.length === 0) continue;
    const about = { id: one.ticker, channel: CHANNEL, version: '2.1.0' };
    if (session.memory.get(`batched ${one.ticker}`) === true)
      send(session, { type: 'channel_batch_data', ...about, contents: blocks });
    else for (const contents of blocks) send(session, { type: 'channel_data', ...about, contents });
  }
}

interface Block {
  readonly trades: Omit<WireTrade, 'createdAtHeight'>[];
}

/** {"trades":[{"id":"0165e617…","size":"0.0001","price":"60392","side":"BUY","createdAt":"…","type":"LIMIT"}]} [T] */
function blocksOf(
  one: DydxMarket,
  session: Session,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): readonly Block[] {
  const blocks = new Map<string, Block>();
  const skewMs = session.skewMs();
  for (const deal of session.market.deals(one.coin, fromMs, toMs)) {
    const { createdAtHeight, id, size, price, side, createdAt, type } = printTrade(deal, one, skewMs);
    const block = blocks.get(createdAtHeight) ?? { trades: [] };
    block.trades.push({ id, size, price, side, createdAt, type });
    blocks.set(createdAtHeight, block);
  }
  return [...blocks.values()];
}

interface Request {
  readonly type?: string;
  readonly channel?: string;
  readonly id?: string;
  readonly isBatched: boolean;
}

function readRequest(text: string): Request | undefined {
  try {
    const request: unknown = JSON.parse(text);
    if (!isFields(request)) return { isBatched: false };
    const { type, channel, id, batched } = request;
    return {
      ...(typeof type === 'string' ? { type } : {}),
      ...(typeof channel === 'string' ? { channel } : {}),
      ...(typeof id === 'string' ? { id } : {}),
      isBatched: batched === true,
    };
  } catch {
    return undefined;
  }
}
