import { isFields } from '../../json.ts';
import { connectionId } from '../connection-id.ts';
import type { WireDeal } from '../trade-ledger.ts';
import type { Session, TradeFrame, WireSocket } from '../wire.ts';
import { BOOK_CHANNEL, bookTopic, followBook } from './books.ts';
import { type DydxMarket, marketsOf } from './markets.ts';
import { printTrade, TRADES_MAX, tradeMarket, type WireTrade } from './trades.ts';

const CHANNEL = 'v4_trades';
/** Channels of the indexer that are not simulated. */
const OTHERS = ['v4_subaccounts', 'v4_parent_subaccounts', 'v4_candles', 'v4_markets'];
/** Per channel and connection [D]. */
const IDS_MAX = 32;
/** Per id and second [D]. */
const ATTEMPTS_MAX = 2;
const ATTEMPT_SPAN_MS = 1000;
const POLICY_VIOLATION = 1008;
/** How far back the trades after a subscription go: on quiet markets 1,000 trades would span days. */
const BACKFILL_MS = 4 * 3_600_000;

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
  receive,
  everyMs: 1000,
  push: () => undefined,
  // Batches are sent every 250 ms [D].
  tradesEveryMs: 250,
};

/** Each message carries the connection's id and its own number, from 0. */
function printMessage(
  session: Session,
  { type, ...rest }: { readonly type: string; readonly [field: string]: unknown },
): string {
  const next = (session.memory.get('messageId') as number | undefined) ?? 0;
  session.memory.set('messageId', next + 1);
  return JSON.stringify({ type, connection_id: connectionId(session), message_id: next, ...rest });
}

function send(session: Session, message: Parameters<typeof printMessage>[1]): void {
  session.send(printMessage(session, message));
}

function receive(text: string, session: Session): void {
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
  if (channel !== CHANNEL && channel !== BOOK_CHANNEL) return refuse(`Invalid channel: ${channel}`);
  if (id === undefined) return refuse('Invalid id: undefined');
  if (type === 'subscribe') return subscribe(session, { channel, id, isBatched, refuse });
  session.leave(channel === CHANNEL ? id : bookTopic(id));
  send(session, { type: 'unsubscribed', channel, id });
}

function subscribe(
  session: Session,
  asked: {
    readonly channel: string;
    readonly id: string;
    readonly isBatched: boolean;
    readonly refuse: (message: string) => void;
  },
): void {
  const { channel, id, isBatched, refuse } = asked;
  const topic = channel === CHANNEL ? id : bookTopic(id);
  const one = marketsOf(session.market).find((candidate) => candidate.ticker === id);
  if (!one) return refuse(`Invalid subscription id for channel: (${channel}-${id})`);
  if (session.topics.size >= IDS_MAX) {
    session.violate('ids');
    return refuse(`Per-connection subscription limit reached for ${channel} (limit=${IDS_MAX}).`);
  }
  if (attempts(session, topic) > ATTEMPTS_MAX) {
    session.violate('subscribes');
    refuse(`Too many subscribe attempts for channel ${channel}-${id}. Please  reconnect and try again.`);
    return session.close(POLICY_VIOLATION, '{"message":"Rate limited"}');
  }
  if (session.topics.has(topic))
    return refuse(`Invalid subscribe message: already subscribed (${channel}-${id})`);
  if (channel === BOOK_CHANNEL) return followBook(session, one, (message) => printMessage(session, message));
  const acknowledge = (trades: readonly WireTrade[]): string =>
    printMessage(session, { type: 'subscribed', channel: CHANNEL, id, contents: { trades } });
  if (one.status !== 'ACTIVE') {
    session.topics.add(id);
    return session.send(acknowledge([]));
  }
  const market = tradeMarket(session.market, one);
  const nowMs = session.nowMs();
  session.follow(id, {
    market,
    print: (deals) => printBlocks(session, one, { deals, isBatched }),
    snapshot: {
      count: Math.min(TRADES_MAX, market.tape.nextAt(nowMs) - market.tape.nextAt(nowMs - BACKFILL_MS)),
      print: (deals) => [
        { text: acknowledge(deals.toReversed().map((deal) => printTrade(deal, one))), deals },
      ],
    },
  });
}

/** How often the client has tried this id in the last second, this time included. */
function attempts(session: Session, id: string): number {
  const nowMs = session.nowMs();
  const before = (session.memory.get(`attempts ${id}`) as readonly number[] | undefined) ?? [];
  const recent = [...before.filter((atMs) => atMs > nowMs - ATTEMPT_SPAN_MS), nowMs];
  session.memory.set(`attempts ${id}`, recent);
  return recent.length;
}

interface Block {
  readonly trades: Omit<WireTrade, 'createdAtHeight'>[];
  readonly deals: WireDeal[];
}

/** The trades of a block make one message, or one entry of a batch. */
function printBlocks(
  session: Session,
  one: DydxMarket,
  { deals, isBatched }: { readonly deals: readonly WireDeal[]; readonly isBatched: boolean },
): readonly TradeFrame[] {
  const blocks = blocksOf(one, deals);
  const about = { id: one.ticker, channel: CHANNEL, version: '2.1.0' };
  if (isBatched) {
    const contents = blocks.map(({ trades }) => ({ trades }));
    return [{ text: printMessage(session, { type: 'channel_batch_data', ...about, contents }), deals }];
  }
  return blocks.map(({ trades, deals: carried }) => ({
    text: printMessage(session, { type: 'channel_data', ...about, contents: { trades } }),
    deals: carried,
  }));
}

/** {"trades":[{"id":"0165e617…","size":"0.0001","price":"60392","side":"BUY","createdAt":"…","type":"LIMIT"}]} [T] */
function blocksOf(one: DydxMarket, deals: readonly WireDeal[]): readonly Block[] {
  const blocks = new Map<string, Block>();
  for (const deal of deals) {
    const { createdAtHeight, id, size, price, side, createdAt, type } = printTrade(deal, one);
    const block = blocks.get(createdAtHeight) ?? { trades: [], deals: [] };
    block.trades.push({ id, size, price, side, createdAt, type });
    block.deals.push(deal);
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
