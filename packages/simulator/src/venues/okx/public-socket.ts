import { type Fields, isFields, parseFields } from '../../json.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import { connectionId } from '../connection-id.ts';
import type { Session, WireSocket } from '../wire.ts';
import { bookArgOf, bookTopic, followBook } from './books.ts';
import { follow, type OkxTrades, tradesArgOf, tradeTopic } from './trades.ts';

/** The public socket of one kind of market: trades and books, and channels of its own. */
export function publicSocketOf(kind: {
  /** A contract or pair whose trades and book can be subscribed to. */
  find(market: VenueMarket, instId: string): OkxTrades | undefined;
  /** The topic of a subscription to another channel, if there is one. */
  topicOf(session: Session, arg: Fields): string | undefined;
  /** Called after a topic of another channel is subscribed to. */
  onSubscribe(session: Session, topic: string): void;
  readonly everyMs: number;
  readonly push: WireSocket['push'];
}): WireSocket {
  const change = (session: Session, op: 'subscribe' | 'unsubscribe', arg: unknown): void => {
    const confirm = (): void =>
      session.send(JSON.stringify({ event: op, arg, connId: connectionOf(session) }));
    const booked = bookArgOf(arg);
    const instId = booked ?? tradesArgOf(arg);
    const printed = instId === undefined ? undefined : kind.find(session.market, instId);
    if (instId !== undefined && printed) {
      confirm();
      if (op === 'unsubscribe') session.leave(booked === undefined ? tradeTopic(instId) : bookTopic(instId));
      else if (booked === undefined) follow(session, printed);
      else followBook(session, printed);
      return;
    }
    const topic = instId === undefined && isFields(arg) ? kind.topicOf(session, arg) : undefined;
    if (topic === undefined)
      return refuse(
        session,
        '60018',
        `Wrong URL or ${printArg(arg)} doesn't exist. Please use the correct URL.`,
      );
    confirm();
    if (op === 'unsubscribe') return void session.topics.delete(topic);
    session.topics.add(topic);
    kind.onSubscribe(session, topic);
  };
  const { everyMs, push } = kind;
  return {
    path: '/ws/v5/public',
    socketsMax: 30,
    // Three a second [M].
    socketsPerMinute: 180,
    // 480 subscriptions an hour [D], and pings.
    messagesPerMinute: 480,
    silentMaxMs: 30_000,
    everyMs,
    receive(text, session) {
      if (text === 'ping') return session.send('pong');
      const { op, args } = parseFields(text) ?? {};
      if ((op !== 'subscribe' && op !== 'unsubscribe') || !Array.isArray(args))
        return refuse(session, '60012', `Invalid request: ${text}`);
      for (const arg of args as readonly unknown[]) change(session, op, arg);
    },
    push,
  };
}

function refuse(session: Session, code: string, msg: string): void {
  session.send(JSON.stringify({ event: 'error', code, msg, connId: connectionOf(session) }));
}

function printArg(arg: unknown): string {
  if (!isFields(arg)) return JSON.stringify(arg);
  return Object.entries(arg)
    .map(([name, value]) => `${name}:${String(value)}`)
    .join(',');
}

/** Eight digits. */
function connectionOf(session: Session): string {
  return connectionId(session).slice(0, 8);
}
