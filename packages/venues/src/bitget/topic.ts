import { type Fields, readObject, readText } from '../reading.ts';
import { type Frame, Malformed } from '../venue.ts';
import { productOf } from './product.ts';

/** The server cuts a connection that has sent nothing for two minutes [K]; its own advice is a ping every 30 s. */
export const PING = { everyMs: 30_000, frame: 'ping' };

/** The answer to a ping. */
export const PONG = { text: 'pong', frame: { kind: 'heartbeat' } } as const;

/** A request for a topic of several contracts. */
export function topicOperation(op: string, topic: string, symbols: readonly string[]): string {
  const args = symbols.map((symbol) => ({ instType: productOf(symbol).toLowerCase(), topic, symbol }));
  return JSON.stringify({ op, args });
}

/** Reads a frame of a socket that follows one topic; `readData` is given what the topic pushes. */
export function readTopic(
  frame: Fields,
  topic: string,
  readData: (frame: Fields, symbol: string) => Frame,
): Frame {
  if (frame.event === 'error')
    return {
      kind: 'refused',
      why: `the venue says ${String(frame.code)}: ${String(frame.msg)}`,
      isReply: true,
    };
  const arg = readObject(frame.arg, 'arg');
  if (arg.topic !== topic) return { kind: 'ignored', why: `topic ${String(arg.topic)}` };
  const symbol = readText(arg.symbol, 'arg.symbol');
  if (frame.event === 'subscribe') return { kind: 'subscribed', topics: [symbol] };
  if (typeof frame.event === 'string') return { kind: 'ignored', why: `event ${frame.event}` };
  const { action } = frame;
  if (action !== 'update' && action !== 'snapshot')
    throw new Malformed(`action is neither update nor snapshot: ${String(action)}`);
  return readData(frame, symbol);
}
