import { type Fields, readArray, readObject, readText } from '../reading.ts';
import type { Frame } from '../venue.ts';

export function subscription(
  type: 'subscribe' | 'unsubscribe',
  channels: readonly string[],
  products: readonly string[],
): string {
  return JSON.stringify({ type, product_ids: products, channels });
}

/** Every answer to a subscription, or to the end of one, lists all products that are subscribed to [K]. */
function confirmedProducts(frame: Fields, channel: string): Frame {
  const found = readArray(frame.channels, 'channels')
    .map((one) => readObject(one, 'channel'))
    .find(({ name }) => name === channel);
  const topics = readArray(found?.product_ids ?? [], 'product_ids').map((id) => readText(id, 'product_id'));
  return topics.length > 0 ? { kind: 'subscribed', topics } : { kind: 'ignored', why: 'nothing subscribed' };
}

/** A frame that carries no data, of a socket that follows one channel. */
export function readControl(frame: Fields, channel: string): Frame {
  switch (frame.type) {
    case 'heartbeat':
      return { kind: 'heartbeat' };
    case 'subscriptions':
      return confirmedProducts(frame, channel);
    case 'error':
      return {
        kind: 'refused',
        why: `the venue says: ${String(frame.message)} ${String(frame.reason)}`,
        isReply: true,
      };
    default:
      return { kind: 'ignored', why: `type ${String(frame.type)}` };
  }
}
