import { type Fields, readArray, readObject, readText } from '../reading.ts';
import type { Frame } from '../venue.ts';

/**
 * Which product a subscription was confirmed for. Every answer lists all products that are subscribed to, in order of
 * subscription [K]: the one that is new is meant. `subscribed` are those confirmed before, and is brought up to date.
 */
export function confirmedProduct(frame: Fields, channel: string, subscribed: Set<string>): Frame {
  const found = readArray(frame.channels, 'channels')
    .map((one) => readObject(one, 'channel'))
    .find(({ name }) => name === channel);
  const products = readArray(found?.product_ids ?? [], 'product_ids').map((id) => readText(id, 'product_id'));
  const topic = products.find((product) => !subscribed.has(product));
  for (const product of subscribed) if (!products.includes(product)) subscribed.delete(product);
  if (topic === undefined) return { kind: 'ignored', why: 'nothing new' };
  subscribed.add(topic);
  return { kind: 'subscribed', topic };
}
