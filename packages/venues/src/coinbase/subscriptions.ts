import { type Fields, readArray, readObject, readText } from '../reading.ts';
import type { Frame } from '../venue.ts';

/** Every answer to a subscription, or to the end of one, lists all products that are subscribed to [K]. */
export function confirmedProducts(frame: Fields, channel: string): Frame {
  const found = readArray(frame.channels, 'channels')
    .map((one) => readObject(one, 'channel'))
    .find(({ name }) => name === channel);
  const topics = readArray(found?.product_ids ?? [], 'product_ids').map((id) => readText(id, 'product_id'));
  return topics.length > 0 ? { kind: 'subscribed', topics } : { kind: 'ignored', why: 'nothing subscribed' };
}
