import { ManualClock, type Market } from '@crosstape/core';
import { venues } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { coverageOf } from '../tape/coverage.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { recordingOptions } from './testing/recording-options.ts';
import { VenueRecording } from './venue-recording.ts';

const T = 1_790_000_000_000;
const name = { venue: 'kraken', feed: 'market-trades' } as const;
const { connector, ...kraken } = venues.find(({ id }) => id === 'kraken')!;
const symbol = 'PF_XBTUSD';
const market: Market = {
  id: `kraken:${symbol}`,
  venue: 'kraken',
  kind: 'perp',
  symbol,
  coin: 'BTC',
  quote: 'USD',
  contractSize: 1,
  scale: 1,
};

/** Records a trade a second between two times of the venue, by a clock that is ahead of it. */
async function record(store: MemoryStore, fromMs: number, toMs: number, aheadMs: number): Promise<void> {
  const clock = new ManualClock(fromMs + aheadMs);
  const feed = { publisher: kraken, feed: connector!.marketTrades!, follow: () => undefined };
  const recording = new VenueRecording({ ...recordingOptions, feed, clock, store });
  recording.listed([market]);
  await recording.opened;
  const atMs = clock.now();
  recording.receive({ type: 'feed', ...name, kind: 'up', atMs, lastReceivedMs: atMs });
  for (let venueTs = fromMs; venueTs <= toMs; venueTs += 1_000) {
    const seq = (venueTs - T) / 1_000;
    const trade = { symbol, side: 'buy', price: 1, size: 1, venueTs, tid: seq, seq } as const;
    const frame = { kind: 'marketTrades', trades: [trade], isBackfill: false } as const;
    recording.receive({ type: 'frame', ...name, socket: 0, frame, receivedAtMs: clock.now() });
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await recording.stop();
}

async function stateAt(store: MemoryStore, ms: number): Promise<string | undefined> {
  const ledger = new GapLedger(store, 'kraken');
  const range = { from: ms, to: ms + 1 };
  const [spans, gaps] = [await ledger.spans(ms, ms + 1), await ledger.gaps(symbol, ms, ms + 1)];
  return coverageOf({ ...range, spans, gaps })[0]?.state;
}

it('calls no time recorded that has not come yet by the venue, when the clock is ahead', async () => {
  const store = new MemoryStore();
  await record(store, T, T + 120_000, 50_000);
  expect((await new GapLedger(store, 'kraken').lastSpan())?.to).toBe(T + 120_000);
  await record(store, T + 140_000, T + 150_000, 0);
  expect(await stateAt(store, T + 100_000)).toBe('complete');
  expect(await stateAt(store, T + 130_000)).toBe('missing');
  expect(await stateAt(store, T + 145_000)).toBe('complete');
});

it('cuts a span that ends in the future, and one that begins there, at the newest recorded trade', async () => {
  const store = new MemoryStore();
  const ledger = new GapLedger(store, 'kraken');
  await record(store, T, T + 60_000, 0);
  await store.commit([
    ledger.extending({ from: T, to: T + 500_000, recordCoins: symbol }),
    ledger.extending({ from: T + 400_000, to: T + 600_000, recordCoins: symbol }),
  ]);
  await record(store, T + 100_000, T + 200_000, 0);
  expect(await ledger.spans(0, Infinity)).toEqual([
    { from: T, to: T + 60_000, recordCoins: symbol },
    { from: T + 100_000, to: T + 200_000, recordCoins: symbol },
  ]);
  expect(await stateAt(store, T + 80_000)).toBe('missing');
});
