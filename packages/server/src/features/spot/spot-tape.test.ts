import { ManualClock, type SpotTrade, type VenueTrade } from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { spotTradeTopic } from '../../topics.ts';
import type { FeedSink } from '../../ingest/feed-sink.ts';
import { SpotTape } from './spot-tape.ts';

let told: SpotTrade[];
let sink: FeedSink;

beforeEach(() => {
  told = [];
  const bus = new LocalBus(new ManualClock(0));
  bus.subscribe(spotTradeTopic('coinbase', 'BTC'), (trade) => told.push(trade));
  sink = new SpotTape({ bus, venues: [{ id: 'coinbase-spot', name: '', venue: 'coinbase' }] }).receive;
});

function hear(
  tid: number,
  more: Partial<VenueTrade> = {},
  isBackfill = false,
  venue = 'coinbase-spot',
): void {
  const trade: VenueTrade = { coin: 'BTC', side: 'buy', price: 100, size: 0.5, venueTs: tid, tid, ...more };
  const frame = { kind: 'trades', trades: [trade], isBackfill } as const;
  sink({ type: 'frame', venue, feed: 'trades', socket: 0, receivedAtMs: 1000, frame });
}

it('tells each trade once, under the plain id of its venue', () => {
  hear(7);
  hear(7);
  expect(told).toEqual([
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

it('says how many were not heard before a trade, be it after a cut', () => {
  hear(7, {}, true);
  hear(8);
  hear(10);
  hear(12, {}, true);
  hear(14);
  expect(told.map(({ tid, missedBefore }) => [tid, missedBefore])).toEqual([
    [8, undefined],
    [10, 1],
    [14, 3],
  ]);
});

it('never goes back in time nor ahead of it, and keeps what the venue said', () => {
  hear(1, { venueTs: 50 });
  hear(2, { venueTs: 40 });
  hear(3, { venueTs: 3_600_000 });
  expect(told.map(({ ts, venueTs }) => [ts, venueTs])).toEqual([
    [50, undefined],
    [50, 40],
    [1000, 3_600_000],
  ]);
});

it('knows the fills of one order', () => {
  hear(1, { taker: 'a' });
  hear(2, { taker: 'a' });
  hear(3, { taker: 'b' });
  hear(4);
  hear(5);
  expect(told.map(({ sameOrder }) => sameOrder)).toEqual([false, true, false, false, false]);
});

it('takes nothing of other venues', () => {
  hear(1, {}, false, 'hyperliquid');
  expect(told).toEqual([]);
});
