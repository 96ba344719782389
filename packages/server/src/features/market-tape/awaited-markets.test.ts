import { ManualClock, type Market } from '@crosstape/core';
import { venues } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { type Gap, GapLedger } from '../tape/gap-ledger.ts';
import { recordingOptions } from './testing/recording-options.ts';
import { VenueRecording } from './venue-recording.ts';

const T = 1_790_000_000_000;
const name = { venue: 'mexc', feed: 'market-trades' } as const;
const mexc = venues.find(({ id }) => id === 'mexc')!;
const binance = venues.find(({ id }) => id === 'binance')!;

const market = (symbol: string): Market => ({
  id: `mexc:${symbol}`,
  venue: 'mexc',
  kind: 'perp',
  symbol,
  coin: symbol.replace('_USDT', ''),
  quote: 'USDT',
  contractSize: 1,
  scale: 1,
});

/** Records two markets of a venue whose trades have no numbers, or of one, and returns the gaps that it enters of each. */
async function record(
  steps: (recording: VenueRecording, clock: ManualClock) => void,
  { connector, ...publisher } = mexc,
  onGap: (id: string, gap: Gap) => void = () => undefined,
): Promise<(symbol: string) => Promise<readonly Gap[]>> {
  const clock = new ManualClock(T);
  const store = new MemoryStore();
  const recording = new VenueRecording({
    ...recordingOptions,
    feed: { publisher, feed: connector!.marketTrades!, follow: () => undefined },
    clock,
    store,
    onGap,
  });
  recording.listed(['A_USDT', 'B_USDT'].map(market));
  await recording.opened;
  steps(recording, clock);
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
  await recording.stop();
  return (symbol) => new GapLedger(store, publisher.id).gaps(symbol, 0, Infinity);
}

it('a market that is subscribed to after others is missing until then, which is reported once it is known', async () => {
  const reported: Gap[] = [];
  const gaps = await record(
    (recording, clock) => {
      const up = { type: 'feed', ...name, kind: 'up', atMs: T, lastReceivedMs: T } as const;
      recording.receive({ ...up, awaiting: ['B_USDT'] });
      clock.advance(100_000);
      expect(reported).toEqual([]);
      recording.receive({ type: 'carried', ...name, topics: ['B_USDT'], atMs: clock.now() });
      clock.advance(20_000);
    },
    mexc,
    (id, gap) => id === 'mexc:B_USDT' && reported.push(gap),
  );
  expect(await gaps('A_USDT')).toEqual([]);
  expect(await gaps('B_USDT')).toMatchObject([{ from: T, to: T + 100_000, state: 'missing' }]);
  expect(reported).toEqual(await gaps('B_USDT'));
});

it('unreadable frames are one gap while they are less than a minute apart, reported at most once a second', async () => {
  const reported: Gap[] = [];
  const gaps = await record(
    (recording, clock) => {
      recording.receive({ type: 'feed', ...name, kind: 'up', atMs: T, lastReceivedMs: T });
      const trade = { symbol: 'A_USDT', side: 'buy', price: 1, size: 1 } as const;
      for (let i = 0; i < 100; i += 1) {
        clock.advance(100);
        const nowMs = clock.now();
        const frame = { kind: 'marketTrades', isBackfill: false } as const;
        const trades = [{ ...trade, venueTs: nowMs, tid: i }];
        recording.receive({
          type: 'frame',
          ...name,
          socket: 0,
          frame: { ...frame, trades },
          receivedAtMs: nowMs,
        });
        recording.receive({ type: 'refused', ...name, socket: 0, atMs: nowMs });
      }
      clock.advance(1_000);
    },
    mexc,
    (id, gap) => id === 'mexc:A_USDT' && reported.push(gap),
  );
  expect(await gaps('A_USDT')).toMatchObject([{ from: T, to: T + 10_001, state: 'partial' }]);
  expect(reported.at(-1)).toMatchObject({ from: T, to: T + 10_001 });
  expect(reported.length).toBeLessThanOrEqual(12);
});

it('one that is left while it waits is reported as well', async () => {
  const reported: Gap[] = [];
  await record(
    (recording, clock) => {
      const up = { type: 'feed', ...name, kind: 'up', atMs: T, lastReceivedMs: T } as const;
      recording.receive({ ...up, awaiting: ['B_USDT'] });
      clock.advance(7_000);
      recording.listed([market('A_USDT')]);
    },
    mexc,
    (id, gap) => id === 'mexc:B_USDT' && reported.push(gap),
  );
  expect(reported).toContainEqual(expect.objectContaining({ from: T, to: T + 7_000, state: 'missing' }));
});

it('so it is where trades are numbered, as long as none has come to count from', async () => {
  const trade = { side: 'buy', price: 1, size: 1, symbol: 'B_USDT' } as const;
  const gaps = await record((recording, clock) => {
    const up = { type: 'feed', ...name, kind: 'up', lastReceivedMs: T } as const;
    const carry = (): void => {
      recording.receive({ type: 'carried', ...name, topics: ['B_USDT'], atMs: clock.now() });
      const trades = [{ ...trade, venueTs: clock.now(), tid: clock.now() - T }];
      const frame = { kind: 'marketTrades', trades, isBackfill: false } as const;
      recording.receive({ type: 'frame', ...name, socket: 0, frame, receivedAtMs: clock.now() });
    };
    recording.receive({ ...up, atMs: T, awaiting: ['B_USDT'] });
    clock.advance(30_000);
    carry();
    clock.advance(10_000);
    // Now its first trade shows how many were missed.
    recording.receive({ type: 'feed', ...name, kind: 'down', atMs: T + 40_000, lastReceivedMs: T + 40_000 });
    clock.advance(10_000);
    recording.receive({ ...up, atMs: T + 50_000, awaiting: ['B_USDT'] });
    clock.advance(10_000);
    carry();
    clock.advance(6_000);
  }, binance);
  expect(await gaps('A_USDT')).toEqual([]);
  expect(await gaps('B_USDT')).toMatchObject([
    { from: T, to: T + 30_000, state: 'missing', method: 'socket' },
    { from: T + 30_000, to: T + 60_001, state: 'missing', method: 'count', missing: 29_999 },
    { from: T + 40_000, to: T + 60_001, state: 'missing', method: 'count', missing: 0 },
  ]);
});

it('a numbered market is missing until its subscription is confirmed again, and refilled if its numbers continue', async () => {
  const trade = { side: 'buy', price: 1, size: 1, symbol: 'B_USDT' } as const;
  const steps = (isCarried: boolean) => (recording: VenueRecording, clock: ManualClock) => {
    const up = { type: 'feed', ...name, kind: 'up', lastReceivedMs: T } as const;
    const deliver = (tid: number): void => {
      const trades = [{ ...trade, venueTs: clock.now(), tid }];
      const frame = { kind: 'marketTrades', trades, isBackfill: false } as const;
      recording.receive({ type: 'frame', ...name, socket: 0, frame, receivedAtMs: clock.now() });
    };
    recording.receive({ ...up, atMs: T });
    deliver(1);
    clock.advance(10_000);
    recording.receive({ type: 'feed', ...name, kind: 'down', atMs: T + 10_000, lastReceivedMs: T + 10_000 });
    clock.advance(10_000);
    recording.receive({ ...up, atMs: T + 20_000, awaiting: ['B_USDT'] });
    clock.advance(60_000);
    if (!isCarried) return;
    recording.receive({ type: 'carried', ...name, topics: ['B_USDT'], atMs: clock.now() });
    deliver(2);
  };
  const gap = { from: T + 10_000, reason: 'no socket to the venue was up' };
  const [missing] = await (await record(steps(false), binance))('B_USDT');
  expect(missing).toMatchObject({ ...gap, state: 'missing' });
  expect(missing?.to).toBeGreaterThanOrEqual(T + 80_000);
  const refilled = await (await record(steps(true), binance))('B_USDT');
  expect(refilled).toMatchObject([{ ...gap, to: T + 80_000, state: 'refilled', method: 'count' }]);
});

it('an outage of a market lasts until its own subscription', async () => {
  const gaps = await record((recording, clock) => {
    recording.receive({ type: 'feed', ...name, kind: 'up', atMs: T, lastReceivedMs: T });
    clock.advance(10_000);
    const change = { type: 'feed', ...name, atMs: T + 10_000, lastReceivedMs: T + 10_000 } as const;
    recording.receive({ ...change, kind: 'down' });
    clock.advance(10_000);
    recording.receive({ ...change, kind: 'up', atMs: T + 20_000, awaiting: ['B_USDT'] });
    clock.advance(50_000);
    recording.receive({ type: 'carried', ...name, topics: ['B_USDT'], atMs: T + 70_000 });
  });
  const gap = { from: T + 9_000, state: 'missing', reason: 'no socket to the venue was up' };
  expect(await gaps('A_USDT')).toMatchObject([{ ...gap, to: T + 20_000 }]);
  expect(await gaps('B_USDT')).toMatchObject([{ ...gap, to: T + 70_000 }]);
});

it('an outage begins with the trades that were under way when the last one came', async () => {
  const gaps = await record((recording, clock) => {
    recording.receive({ type: 'feed', ...name, kind: 'up', atMs: T, lastReceivedMs: T });
    clock.advance(10_000);
    const trade = { symbol: 'A_USDT', side: 'buy', price: 1, size: 1, venueTs: T + 9_300, tid: 1 } as const;
    const frame = { kind: 'marketTrades', trades: [trade], isBackfill: false } as const;
    recording.receive({ type: 'frame', ...name, socket: 0, frame, receivedAtMs: T + 10_000 });
    clock.advance(5_000);
    const change = { type: 'feed', ...name, atMs: T + 15_000, lastReceivedMs: T + 14_000 } as const;
    recording.receive({ ...change, kind: 'down' });
    clock.advance(5_000);
    recording.receive({ ...change, kind: 'up', atMs: T + 20_000 });
  });
  const gap = { from: T + 14_000 - 1_000 - 700, to: T + 20_000 };
  expect(await gaps('A_USDT')).toMatchObject([gap]);
  expect(await gaps('B_USDT')).toMatchObject([gap]);
});

it('what is entered while a market waits outlives a crash', async () => {
  const gaps = await record((recording, clock) => {
    const up = { type: 'feed', ...name, kind: 'up', atMs: T, lastReceivedMs: T } as const;
    recording.receive({ ...up, awaiting: ['B_USDT'] });
    clock.advance(60_000);
  });
  const [gap] = await gaps('B_USDT');
  expect(gap?.from).toBe(T);
  expect(gap?.to).toBeGreaterThanOrEqual(T + 60_000);
});

it('where our clock is behind, an outage lasts until the venue’s time of the first live trade', async () => {
  const gaps = await record((recording, clock) => {
    const change = { type: 'feed', ...name, atMs: T, lastReceivedMs: T } as const;
    const deliver = (): void => {
      const trade = { symbol: 'A_USDT', side: 'buy', price: 1, size: 1, tid: clock.now() } as const;
      const trades = [{ ...trade, venueTs: clock.now() + 3_000 }];
      const frame = { kind: 'marketTrades', trades, isBackfill: false } as const;
      recording.receive({ type: 'frame', ...name, socket: 0, frame, receivedAtMs: clock.now() });
    };
    recording.receive({ ...change, kind: 'up' });
    clock.advance(10_000);
    deliver();
    recording.receive({ ...change, kind: 'down', lastReceivedMs: T + 10_000 });
    clock.advance(10_000);
    recording.receive({ ...change, kind: 'up', atMs: T + 20_000, awaiting: ['B_USDT'] });
    clock.advance(100);
    deliver();
    clock.advance(900);
    recording.receive({ type: 'carried', ...name, topics: ['B_USDT'], atMs: T + 21_000 });
  });
  const down = { from: T + 9_000, state: 'missing' };
  expect(await gaps('A_USDT')).toMatchObject([
    { from: T, to: T + 13_000, state: 'partial' },
    { ...down, to: T + 20_000 },
    { from: T + 20_000, to: T + 23_100, state: 'partial' },
  ]);
  expect((await gaps('B_USDT')).slice(1)).toMatchObject([{ ...down, to: T + 24_000 }]);
});
