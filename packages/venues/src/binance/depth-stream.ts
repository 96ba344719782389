import type { Fields } from '../reading.ts';
import type { Frame } from '../venue.ts';

/** Ends the name of a stream: 20 levels a side, every 100 ms. */
export const DEPTH_STREAM = '@depth20@100ms';

export function depthRequest(method: 'SUBSCRIBE' | 'UNSUBSCRIBE', symbols: readonly string[]): string {
  const params = symbols.map((symbol) => `${symbol.toLowerCase()}${DEPTH_STREAM}`);
  return JSON.stringify({ method, params, id: method === 'SUBSCRIBE' ? 1 : 2 });
}

/** A frame that is no book: the answer to a request, which does not name its streams. */
export function readDepthReply(frame: Fields, stream: string): Frame {
  const error = frame.error ?? (frame.code === undefined ? undefined : frame);
  if (error !== undefined)
    return { kind: 'refused', why: `the venue says: ${JSON.stringify(error)}`, isReply: true };
  if (frame.result === null && frame.id === 1) return { kind: 'subscribed', topics: [] };
  return { kind: 'ignored', why: frame.result === null ? 'unsubscribed' : `no stream ${stream}` };
}
