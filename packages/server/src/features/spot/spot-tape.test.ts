import { ManualClock, type SpotTrade, type VenueTrade } from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { spotTradeTopic } from '../../topics.ts';
import type { FeedSink } from '../../ingest/feed-sink.ts';
import { SpotTape } from './spot-tape.ts';

let reported: SpotTrade[];
let sink: FeedSink;

beforeEach(() => {
  reported = [];
  const bus = new LocalBus(new ManualClock(0));
  bus.subscribe(spotTradeTopic('coinbase', 'BTC'), (trade) => reported.push(trade));
  sink = new SpotTape({ bus, venues: [{ id: 'coinbase-spot', name: '', venue: 'coinbase' }] }).receive;
});

function receive(
  tid: number,
  more: Partial<VenueTrade> = {},
  isBackfill = false,
  venue = 'coinbase-spot',
): void {
  const trade: VenueTrade = { coin: 'BTC', side: 'buy', price: 100, size: 0.5, venueTs: tid, tid, ...more };
  const frame = { kind: 'trades', trades: [trade], isBackfill } as const;
  sink({ type: 'frame', venue, feed: 'trades', socket: 0, receivedAtMs: 1000, frame });
}

it('publishes each trade once, under the plain id of its venue', () => {
  receive(7);
  receive(7);
  expect(reported).toEqual([
    {
      coin: 'BTC',
      venue: 'coinbase',
      side: 'buy',
      price: 100,
      size: 0.5,
      notionalUsd: 50,
      ts: 7,
      tid: 7,
      sameOrder: false,
    },
  ]);
});

it('counts the trades missed before a trade, also after a disconnect', () => {
  receive(7, {}, true);
  receive(8);
  receive(10);
  receive(12, {}, true);
  receive(14);
  expect(reported.map(({ tid, missedBefore }) => [tid, missedBefore])).toEqual([
    [8, undefined],
    [10, 1],
    [14, 3],
  ]);
});

it('never goes back in time or ahead of it, and keeps the time of the venue', () => {
  receive(1, { venueTs: 50 });
  receive(2, { venueTs: 40 });
  receive(3, { venueTs: 3_600_000 });
  expect(reported.map(({ ts, venueTs }) => [ts, venueTs])).toEqual([
    [50, undefined],
    [50, 40],
    [1000, 3_600_000],
  ]);
});

it('knows the fills of one order', () => {
  receive(1, { taker: 'a' });
  receive(2, { taker: 'a' });
  receive(3, { taker: 'b' });
  receive(4);
  receive(5);
  expect(reported.map(({ sameOrder }) => sameOrder)).toEqual([false, true, false, false, false]);
});

it('takes nothing of other venues', () => {
  receive(1, {}, false, 'hyperliquid');
  expect(reported).toEqual([]);
});
