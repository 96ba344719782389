import { type Fields, readText } from '../reading.ts';
import { type Frame, Malformed } from '../venue.ts';

/** "Every 20 seconds" is the venue's advice; it cuts off after ten silent minutes [D]. */
export const PING = { everyMs: 20_000, frame: '{"op":"ping"}' };

/** A request for the topics of symbols; its id lists them. */
export function operation(op: string, topic: string, symbols: readonly string[]): string {
  return JSON.stringify({
    op,
    args: symbols.map((symbol) => `${topic}${symbol}`),
    req_id: symbols.join(','),
  });
}

const ALREADY_SUBSCRIBED = 'error:already subscribed,topic:';

/** A frame without a topic: the answer to a request. */
export function readReply(frame: Fields, topic: string): Frame {
  if (frame.success === false) {
    const why = String(frame.ret_msg);
    return why.startsWith(`${ALREADY_SUBSCRIBED}${topic}`)
      ? { kind: 'subscribed', topics: [why.slice(ALREADY_SUBSCRIBED.length + topic.length)] }
      : { kind: 'refused', why: `the venue says: ${why}`, isReply: true };
  }
  if (frame.op === 'ping' || frame.op === 'pong') return { kind: 'heartbeat' };
  if (frame.op === 'subscribe')
    return { kind: 'subscribed', topics: readText(frame.req_id, 'req_id').split(',') };
  if (frame.op === undefined) throw new Malformed('neither topic nor op');
  return { kind: 'ignored', why: `op ${JSON.stringify(frame.op)}` };
}
