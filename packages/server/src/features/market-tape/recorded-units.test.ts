import { ManualClock, type Market, type MarketTrade } from '@crosstape/core';
import { venues } from '@crosstape/venues';
import { expect, it, vi } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { createTapeReader } from '../tape/tape-reader.ts';
import { ticksOf } from '../tape/tape-tail.ts';
import { TickTable } from '../tape/tick-table.ts';
import { MarketTable } from './market-table.ts';
import { recordingOptions } from './testing/recording-options.ts';
import { VenueRecording } from './venue-recording.ts';
import type { VenueRecordingOptions } from './venue-recording-options.ts';

const binance = venues.find(({ id }) => id === 'binance')!;
const name = { venue: 'binance', feed: 'market-trades' } as const;
const place = storePerTest();
const clock = new ManualClock(1_790_000_000_000);
let follows = 0;

function start(more: Partial<VenueRecordingOptions>): VenueRecording {
  return new VenueRecording({
    ...recordingOptions,
    clock,
    store: place.store,
    feed: {
      publisher: binance,
      feed: binance.connector!.marketTrades!,
      follow: () => {
        follows += 1;
      },
    },
    ...more,
  });
}

/** Waits for a condition, and lets the clock run meanwhile. */
async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isMet())) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function deliver(recording: VenueRecording, tid: number): void {
  clock.advance(1_000);
  const venueTs = clock.now();
  const trade: MarketTrade = { symbol: 'BTCUSDT', side: 'buy', price: 100.5, size: 2, venueTs, tid };
  const frame = { kind: 'marketTrades', trades: [trade], isBackfill: false } as const;
  recording.receive({ type: 'frame', ...name, socket: 0, frame, receivedAtMs: venueTs });
}

const listed = (contractSize: number): Market => ({
  id: 'binance:BTCUSDT',
  venue: 'binance',
  kind: 'perp',
  symbol: 'BTCUSDT',
  coin: 'BTC',
  quote: 'USDT',
  contractSize,
  scale: 1,
});

it('keeps the unit of what is recorded when the venue changes it, also over a restart', async () => {
  const table = new MarketTable(place.store);
  const onFollowed = (markets: readonly Market[]): void => {
    const own = { publisher: 'binance', isCounted: true };
    const rows = markets.map((one) => ({ ...one, ...own }));
    void table.put(rows, clock.now());
  };
  const warn = vi.fn();
  const traded: (readonly [number, number])[] = [];
  const onTrade: VenueRecordingOptions['onTrade'] = ({ contractSize }, { tid }) =>
    traded.push([tid, contractSize]);
  const more = { onFollowed, onTrade, log: { ...recordingOptions.log, warn } };
  const open = async (contractSize: number): Promise<VenueRecording> => {
    const recording = start(more);
    const before = follows;
    recording.listed([listed(contractSize)]);
    await until(() => follows > before);
    recording.receive({
      type: 'feed',
      ...name,
      kind: 'up',
      atMs: clock.now(),
      lastReceivedMs: clock.now(),
    });
    return recording;
  };
  const first = await open(1);
  deliver(first, 1);
  first.listed([listed(0.1)]);
  first.listed([listed(0.1)]);
  deliver(first, 2);
  await first.stop();
  const second = await open(0.1);
  deliver(second, 3);
  await second.stop();
  const third = await open(10);
  deliver(third, 4);
  await third.stop();

  expect(warn).toHaveBeenCalledTimes(2);
  expect(traded).toEqual([
    [1, 1],
    [2, 0.1],
    [3, 0.1],
    [4, 10],
  ]);
  const stored = (await table.find('binance:BTCUSDT'))!;
  const ticks = new TickTable(place.store, 'binance');
  // No chunk is in two units.
  const sealed = await ticks.names('BTCUSDT', 0, Infinity, 10);
  expect(sealed.map(({ trades }) => trades)).toEqual([1, 2]);
  const tape = createTapeReader({
    table: ticks,
    bus: new LocalBus(clock),
    units: stored,
  });
  const { chunks } = await tape.page({
    coin: 'BTCUSDT',
    fromTs: 0,
    toTs: Infinity,
    chunksMax: 10,
    withIds: true,
  });
  expect(chunks.map(({ trades }) => trades)).toEqual([1, 2, 1]);
  const sizes = chunks.flatMap((chunk) => {
    const { columns } = ticksOf(chunk, stored);
    return [...columns.size.subarray(0, columns.length)].map((size) => size / 10 ** columns.sizeDecimals);
  });
  expect(sizes).toEqual([2, 0.2, 0.2, 20]);
});
