import { type Fields, readArray, readText } from '../reading.ts';
import type { Frame } from '../venue.ts';

/** A request for a feed of several contracts. */
export function subscription(event: string, feed: string, symbols: readonly string[]): string {
  return JSON.stringify({ event, feed, product_ids: symbols });
}

/** A frame that carries no data. */
export function readEvent(frame: Fields): Frame {
  switch (frame.event ?? frame.feed) {
    case 'heartbeat':
      return { kind: 'heartbeat' };
    case 'subscribed': {
      const products = readArray(frame.product_ids, 'product_ids');
      return { kind: 'subscribed', topics: products.map((one, i) => readText(one, `product_ids[${i}]`)) };
    }
    case 'error':
    case 'alert':
    case 'subscribed_failed':
    case 'unsubscribed_failed':
      return {
        kind: 'refused',
        why: `the venue says: ${String(frame.event)} ${String(frame.message)}`,
        isReply: true,
      };
    default:
      return { kind: 'ignored', why: `event ${String(frame.event ?? frame.feed)}` };
  }
}
