import { type Fields, readObject, readText } from '../reading.ts';
import type { Frame } from '../venue.ts';

/** The venue drops a connection on which nothing was sent for 30 s [C, M]. */
export const PING = { everyMs: 20_000, frame: 'ping' };

/** The answer to a ping. */
export const PONG = { text: 'pong', frame: { kind: 'heartbeat' } } as const;

/** What a channel is followed by: single instruments, or all of a type. */
export type ChannelKey = 'instId' | 'instType';

/** A request for several topics of a channel. */
export function channelOperation(
  op: string,
  channel: string,
  topics: readonly string[],
  key: ChannelKey = 'instId',
): string {
  return JSON.stringify({ op, args: topics.map((topic) => ({ channel, [key]: topic })) });
}

/** Reads a frame of a socket that follows one channel; `readData` is given what the channel pushes. */
export function readChannel(
  frame: Fields,
  channel: string,
  readData: (frame: Fields, topic: string) => Frame,
  key: ChannelKey = 'instId',
): Frame {
  if (frame.event === 'error')
    return {
      kind: 'refused',
      why: `the venue says ${String(frame.code)}: ${String(frame.msg)}`,
      isReply: true,
    };
  if (frame.event !== undefined && frame.event !== 'subscribe')
    return { kind: 'ignored', why: `event ${JSON.stringify(frame.event)}` };
  const arg = readObject(frame.arg, 'arg');
  if (arg.channel !== channel) return { kind: 'ignored', why: `channel ${String(arg.channel)}` };
  const topic = readText(arg[key], `arg.${key}`);
  if (frame.event === 'subscribe') return { kind: 'subscribed', topics: [topic] };
  return readData(frame, topic);
}
