import type { VenueTrade } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import { boundCoins } from './coin-bound.ts';
import type { FeedEvent } from './feed-sink.ts';

const socket = { venue: 'hyperliquid', feed: 'trades', socket: 0 };

function received(...coins: readonly string[]): FeedEvent {
  const trades = coins.map(
    (coin): VenueTrade => ({ coin, side: 'buy', price: 1, size: 1, venueTs: 1, tid: 1 }),
  );
  return { ...socket, type: 'frame', frame: { kind: 'trades', trades, isBackfill: false }, receivedAtMs: 5 };
}

it('refuses frames that name more coins than a venue may have, and continues with those that it has', () => {
  const passed: FeedEvent[] = [];
  const onRefused = vi.fn();
  const sink = boundCoins((event) => passed.push(event), { onRefused, namesMax: 2 });
  for (const event of [received('BTC', 'ETH'), received('X'), received('ETH')]) sink(event);
  expect(passed).toEqual([received('BTC', 'ETH'), { ...socket, type: 'refused', atMs: 5 }, received('ETH')]);
  expect(onRefused).toHaveBeenCalledOnce();
});
