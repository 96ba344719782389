import { ManualClock, type Market, type MarketTrade, type Trade } from '@crosstape/core';
import { venues } from '@crosstape/venues';
import { beforeEach, expect, it, vi } from 'vitest';
import type { MarketReceiver, OpenMarketFeed } from '../../ingest/market-feed.ts';
import type { Store } from '../../store/store.ts';
import { ProcessStore } from '../../store/testing/process-store.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { TickTable } from '../tape/tick-table.ts';
import { StandbyRecording, type StandbyRecordingOptions } from './standby-recording.ts';
import { recordingOptions } from './testing/recording-options.ts';
import { VenueRecording } from './venue-recording.ts';
import type { VenueRecordingOptions } from './venue-recording-options.ts';

const T = 1_790_000_000_000;
const SYMBOL = 'BTCUSDT';
const unit = { coin: 'BTC', quote: 'USDT', contractSize: 1, scale: 1 } as const;

/** Trades of the first are numbered, those of the second are not. */
const venueIds = ['binance', 'bybit'];

const place = storePerTest();
let clock: ManualClock;
let published: Trade[];

beforeEach(() => {
  clock = new ManualClock(T);
  published = [];
});

function optionsOf(venue: string, store: Store = place.store): VenueRecordingOptions {
  const publisher = venues.find(({ id }) => id === venue)!;
  const feed: OpenMarketFeed = {
    publisher,
    feed: publisher.connector!.marketTrades!,
    follow: () => undefined,
    past: () => Promise.resolve({ trades: [], isWhole: true }),
  };
  return {
    ...recordingOptions,
    feed,
    clock,
    store,
    keptFromMs: (keepMs) => clock.now() - keepMs,
    onTrade: (_, trade) => published.push(trade),
  };
}

const marketOf = (venue: string, symbol = SYMBOL): Market => ({
  ...unit,
  id: `${venue}:${symbol}`,
  venue,
  kind: 'perp',
  symbol,
});

function up(receiver: MarketReceiver, venue: string): void {
  const nowMs = clock.now();
  receiver.receive({ type: 'feed', venue, feed: 'x', kind: 'up', atMs: nowMs, lastReceivedMs: nowMs });
}

function deliver(receivers: readonly MarketReceiver[], venue: string, tid: number, symbol = SYMBOL): void {
  clock.advance(100);
  const trade: MarketTrade = {
    symbol,
    side: 'buy',
    price: 100,
    size: 1,
    venueTs: clock.now(),
    tid,
  };
  const frame = { kind: 'marketTrades', trades: [trade], isBackfill: false } as const;
  const name = { type: 'frame', venue, feed: 'x', socket: 0 } as const;
  for (const one of receivers) one.receive({ ...name, frame, receivedAtMs: clock.now() });
}

/** The clock runs slower than the real one: even on a slow machine a standby still has what it received. */
async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  const isMetLater = (): boolean | Promise<boolean> => {
    clock.advance(10);
    return isMet();
  };
  await vi.waitUntil(isMetLater, { timeout: 240_000, interval: 10 });
}

async function recordedIds(venue: string): Promise<readonly number[]> {
  const pieces = await new TickTable(place.store, venue).tail(SYMBOL);
  return pieces.flatMap(({ ids }) => [...ids.tid.subarray(0, ids.length)]);
}

function standby(
  venue: string,
  more: Partial<VenueRecordingOptions & Pick<StandbyRecordingOptions, 'prepare'>> = {},
): { recording: StandbyRecording; lead: () => void } {
  let lead = (): void => undefined;
  const led = new Promise<void>((resolve) => {
    lead = resolve;
  });
  const options = { ...optionsOf(venue), published: () => published, ...more };
  const begin = (): VenueRecording => new VenueRecording(options);
  const recording = new StandbyRecording({ ...options, led, begin });
  recording.listed([marketOf(venue)]);
  return { recording, lead };
}

it.each(venueIds)(
  '%s: continues where the leader ended, without a gap and without a double',
  async (venue) => {
    const store = new ProcessStore(place.store);
    const leader = new VenueRecording(optionsOf(venue, store));
    leader.listed([marketOf(venue)]);
    await leader.opened;
    up(leader, venue);
    const { recording, lead } = standby(venue);
    up(recording, venue);
    for (let tid = 1; tid <= 20; tid += 1) deliver([leader, recording], venue, tid);
    await until(async () => (await recordedIds(venue)).length === 20);
    // Published, and received by both, but not written by the leader, which is killed here.
    deliver([leader, recording], venue, 21);
    store.kill();
    const last = published.at(-1)!;
    expect(last.tid).toBe(21);
    // Received by the standby alone.
    deliver([recording], venue, 22);
    lead();
    await until(async () => (await recordedIds(venue)).includes(22));
    deliver([recording], venue, 23);
    await recording.stop();
    expect(await recordedIds(venue)).toEqual(Array.from({ length: 23 }, (_, i) => i + 1));
    const ledger = new GapLedger(place.store, venue);
    expect(await ledger.gaps(SYMBOL, 0, Number.MAX_SAFE_INTEGER)).toEqual([]);
    const spans = await ledger.spans(0, Number.MAX_SAFE_INTEGER);
    for (const [i, span] of spans.slice(1).entries()) expect(span.from).toBeLessThanOrEqual(spans[i]!.to);
    // If trades are not counted, those of the last second may be in flight.
    expect(spans.at(-1)?.to).toBe(clock.now() - (venue === 'binance' ? 0 : 1_000));
  },
);

it.each(venueIds)('%s: reports what neither received', async (venue) => {
  const leader = new VenueRecording(optionsOf(venue));
  leader.listed([marketOf(venue)]);
  await leader.opened;
  up(leader, venue);
  deliver([leader], venue, 1);
  await until(async () => (await recordedIds(venue)).length === 1);
  const endedMs = clock.now();
  const { recording, lead } = standby(venue);
  clock.advance(10_000);
  up(recording, venue);
  lead();
  await until(() => recording.isRecording);
  deliver([recording], venue, 5);
  const ledger = new GapLedger(place.store, venue);
  await until(async () => (await ledger.gaps(SYMBOL, 0, Number.MAX_SAFE_INTEGER)).length > 0);
  await recording.stop();
  const [gap] = await ledger.gaps(SYMBOL, 0, Number.MAX_SAFE_INTEGER);
  expect(gap?.from).toBeLessThanOrEqual(endedMs);
  expect(gap?.to).toBeGreaterThanOrEqual(endedMs + 10_000);
  expect(gap?.state).not.toBe('refilled');
});

it.each(venueIds)(
  '%s: continues a history that is created when the feed is up, without a gap and without a double',
  async (venue) => {
    let finish = (): void => undefined;
    const prepared: string[] = [];
    const prepare = (markets: readonly Market[]): Promise<void> => {
      prepared.push(...markets.map(({ id }) => id));
      return new Promise((resolve) => {
        finish = resolve;
      });
    };
    const { recording, lead } = standby(venue, { prepare, published: () => [] });
    lead();
    // Trades of the history; the last of them are received as well.
    const history = new VenueRecording({ ...optionsOf(venue), onTrade: () => undefined });
    history.listed([marketOf(venue)]);
    await history.opened;
    up(history, venue);
    for (let tid = 1; tid <= 10; tid += 1) deliver([history], venue, tid);
    expect(prepared).toEqual([]);
    up(recording, venue);
    // Longer than trades are in flight.
    clock.advance(1_000);
    for (let tid = 11; tid <= 15; tid += 1) deliver([history, recording], venue, tid);
    await history.stop();
    await until(() => prepared.length > 0);
    expect(prepared).toEqual([`${venue}:${SYMBOL}`]);
    deliver([recording], venue, 16);
    expect(recording.isRecording).toBe(false);
    finish();
    await until(() => recording.isRecording);
    deliver([recording], venue, 17);
    await recording.stop();
    expect(await recordedIds(venue)).toEqual(Array.from({ length: 17 }, (_, i) => i + 1));
    expect(published.map(({ tid }) => tid)).toEqual([16, 17]);
    const ledger = new GapLedger(place.store, venue);
    expect(await ledger.gaps(SYMBOL, 0, Number.MAX_SAFE_INTEGER)).toEqual([]);
  },
);

it('does not wait for its turn when it stops', async () => {
  const { recording } = standby('binance');
  await recording.stop();
  expect(published).toEqual([]);
});

it.each(venueIds)('%s: reports what was missed of a market that it did not follow', async (venue) => {
  const other = 'ETHUSDT';
  const both = [marketOf(venue), marketOf(venue, other)];
  const leader = new VenueRecording(optionsOf(venue));
  leader.listed(both);
  await leader.opened;
  up(leader, venue);
  let chosen: readonly string[] = [SYMBOL];
  const choose: VenueRecordingOptions['choose'] = () => both.filter(({ symbol }) => chosen.includes(symbol));
  const { recording, lead } = standby(venue, { choose, published: () => [] });
  up(recording, venue);
  for (let tid = 1; tid <= 3; tid += 1) {
    deliver([leader, recording], venue, tid);
    deliver([leader], venue, tid, other);
  }
  await until(async () => (await recordedIds(venue)).length === 3);
  const endedMs = clock.now();
  // Received by the standby alone, which does not follow the other market.
  deliver([recording], venue, 4);
  chosen = [SYMBOL, other];
  lead();
  await until(() => recording.isRecording);
  const ledger = new GapLedger(place.store, venue);
  deliver([recording], venue, 5);
  // Longer than a subscription usually takes.
  clock.advance(20_000);
  const carriedMs = clock.now();
  recording.receive({ type: 'carried', venue, feed: 'x', topics: [other], atMs: carriedMs });
  deliver([recording], venue, 6, other);
  // If trades are counted, the first one shows what was missed before it.
  const isCounted = venue === 'binance';
  const expected = isCounted
    ? { to: carriedMs + 101, state: 'missing', method: 'count', missing: 2 }
    : { to: carriedMs, state: 'partial', method: 'socket' };
  await until(async () => {
    const gap = (await ledger.gaps(other, 0, Number.MAX_SAFE_INTEGER)).at(-1);
    return gap?.state === expected.state && gap.method === expected.method;
  });
  await recording.stop();
  const gaps = await ledger.gaps(other, 0, Number.MAX_SAFE_INTEGER);
  expect(gaps).toMatchObject([expected]);
  expect(gaps[0]?.from).toBeLessThanOrEqual(endedMs);
  expect(await ledger.gaps(SYMBOL, 0, Number.MAX_SAFE_INTEGER)).toEqual([]);
});

it.each(venueIds)(
  '%s: knows from when a market is delivered that it followed after others',
  async (venue) => {
    const other = 'ETHUSDT';
    const { recording, lead } = standby(venue, { published: () => [] });
    up(recording, venue);
    recording.listed([marketOf(venue), marketOf(venue, other)]);
    const upMs = clock.now();
    clock.advance(20_000);
    recording.receive({ type: 'carried', venue, feed: 'x', topics: [other], atMs: clock.now() });
    const carriedMs = clock.now();
    clock.advance(5_000);
    lead();
    await until(() => recording.isRecording);
    await recording.stop();
    const ledger = new GapLedger(place.store, venue);
    expect(await ledger.gaps(SYMBOL, 0, Number.MAX_SAFE_INTEGER)).toEqual([]);
    expect(await ledger.gaps(other, 0, Number.MAX_SAFE_INTEGER)).toMatchObject([
      { from: upMs, to: carriedMs, state: 'missing' },
    ]);
  },
);

it('reads what was published since the record ended, and lets others run in between', async () => {
  const venue = 'binance';
  const markets = [marketOf(venue), marketOf(venue, 'ETHUSDT')];
  const leader = new VenueRecording(optionsOf(venue));
  leader.listed(markets);
  await leader.opened;
  up(leader, venue);
  deliver([leader], venue, 1);
  await leader.stop();
  const endedMs = clock.now();
  clock.advance(1_000);
  const asked: { readonly sinceMs: number; readonly turns: number }[] = [];
  let turns = 0;
  const readSince: VenueRecordingOptions['published'] = (_, sinceMs) => {
    asked.push({ sinceMs, turns });
    setImmediate(() => (turns += 1));
    return [];
  };
  const recording = new VenueRecording({ ...optionsOf(venue), published: readSince });
  recording.listed(markets);
  await recording.opened;
  await recording.stop();
  expect(asked.map(({ sinceMs }) => sinceMs)).toEqual([endedMs - 5_000, endedMs - 5_000]);
  expect(asked.map((one) => one.turns)).toEqual([0, 1]);
});
