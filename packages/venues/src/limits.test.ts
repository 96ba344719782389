import { expect, it } from 'vitest';
import { readablePublishers } from './index.ts';

/** Share of a minute's weight that may be spent at once, where a venue says nothing else. */
const AT_ONCE_SHARE = 0.25;

/** What venues allow in a short time, per address, in requests of weight 1. */
it.each([
  [['bitget'], 20, 1],
  [['gate'], 200, 10],
  [['mexc'], 20, 2],
  [['dydx'], 100, 10],
  [['bybit'], 600, 5],
  [['coinbase'], 15, 1],
  [['upbit'], 10, 1],
  [['okx', 'okx-spot'], 20, 2],
])('%j: what is sent at once and the refill of its span stay within %i in %i s', (ids, max, seconds) => {
  const sent = ids.map((id) => {
    const { limits } = readablePublishers.find((one) => one.id === id)!.connector!;
    const { weightPerMinute, weightAtOnce = weightPerMinute * AT_ONCE_SHARE } = limits;
    return weightAtOnce + ((weightPerMinute - weightAtOnce) / 60) * seconds;
  });
  expect(sent.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(max);
});
