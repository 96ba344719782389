import { type Fields, readArray, readObject, readText } from '../reading.ts';
import { type Frame, Malformed } from '../venue.ts';

/** The rows of a `v4_trades` frame; `isAnswer` for those that answer a subscription. */
export interface TradeRows {
  readonly symbol: string;
  readonly rows: readonly unknown[];
  readonly isAnswer: boolean;
}

/** Reads a frame of a socket that follows `v4_trades`. */
export function readTradesChannel(frame: Fields, readRows: (trades: TradeRows) => Frame): Frame {
  switch (frame.type) {
    case 'connected':
    case 'unsubscribed':
      return { kind: 'ignored', why: frame.type };
    case 'pong':
      return { kind: 'heartbeat' };
    case 'error':
      return readError(String(frame.message));
    case 'subscribed':
    case 'channel_data':
      return readContents(frame, [frame.contents], readRows);
    case 'channel_batch_data':
      return readContents(frame, readArray(frame.contents, 'contents'), readRows);
    default:
      throw new Malformed(`type is not known: ${String(frame.type)}`);
  }
}

/** A subscription sent again because its first confirmation was lost is confirmed by this error [S]. */
function readError(message: string): Frame {
  const topic = /already subscribed \(v4_trades-(.+)\)/.exec(message)?.[1];
  return topic === undefined
    ? { kind: 'refused', why: `the venue says: ${message}`, isReply: true }
    : { kind: 'subscribed', topics: [topic] };
}

function readContents(
  frame: Fields,
  batch: readonly unknown[],
  readRows: (trades: TradeRows) => Frame,
): Frame {
  if (frame.channel !== 'v4_trades') return { kind: 'ignored', why: `channel ${String(frame.channel)}` };
  const symbol = readText(frame.id, 'id');
  const rows = batch.flatMap((contents) => readArray(readObject(contents, 'contents').trades, 'trades'));
  return readRows({ symbol, rows, isAnswer: frame.type === 'subscribed' });
}
