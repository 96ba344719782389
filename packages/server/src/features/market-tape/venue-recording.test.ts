import { ManualClock, type Market, type MarketTrade } from '@crosstape/core';
import { venues } from '@crosstape/venues';
import { beforeEach, expect, it } from 'vitest';
import type { OpenMarketFeed } from '../../ingest/market-feed.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { TickTable } from '../tape/tick-table.ts';
import { VenueRecording } from './venue-recording.ts';

const T = 1_790_000_000_000;
const binance = venues.find(({ id }) => id === 'binance')!;
const name = { venue: 'binance', feed: 'market-trades' } as const;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const place = storePerTest();
let clock: ManualClock;
let followed: (readonly string[])[];
let missing: readonly MarketTrade[];

beforeEach(() => {
  clock = new ManualClock(T);
  followed = [];
  missing = [];
});

const market = (symbol: string): Market => ({
  id: `binance:${symbol}`,
  venue: 'binance',
  kind: 'perp',
  symbol,
  coin: symbol.replace('USDT', ''),
  quote: 'USDT',
  contractSize: 1,
  scale: 1,
});

function start(): VenueRecording {
  const feed: OpenMarketFeed = {
    publisher: binance,
    feed: binance.connector!.marketTrades!,
    follow: (markets) => followed.push(markets.map(({ symbol }) => symbol)),
    past: () => Promise.resolve({ trades: missing, isWhole: true }),
  };
  const keptFromMs = (keepMs: number): number => clock.now() - keepMs;
  const onTrade = (): void => undefined;
  const options = { clock, log: silent, store: place.store, retentionDays: 7, keptFromMs, onTrade };
  return new VenueRecording({
    ...options,
    feed,
    choose: (_, all) => all,
    onFollowed: () => undefined,
    onGap: () => undefined,
  });
}

/** Waits for a condition, and lets the clock run meanwhile. */
async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isMet())) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function turn(recording: VenueRecording, kind: 'up' | 'down'): void {
  recording.receive({ type: 'feed', ...name, kind, atMs: clock.now(), lastReceivedMs: clock.now() });
}

function trade(tid: number, symbol = 'BTCUSDT'): MarketTrade {
  return { symbol, side: 'buy', price: 100.5, size: 2, venueTs: clock.now(), tid };
}

function deliver(recording: VenueRecording, ...trades: readonly MarketTrade[]): void {
  const frame = { kind: 'marketTrades', trades, isBackfill: false } as const;
  recording.receive({ type: 'frame', ...name, socket: 0, frame, receivedAtMs: clock.now() });
}

async function recordedIds(symbol: string): Promise<readonly number[]> {
  const pieces = await new TickTable(place.store, 'binance').tail(symbol);
  return pieces.flatMap(({ ids }) => [...ids.tid.subarray(0, ids.length)]);
}

it('counts what was traded while the service did not run, and refills it', async () => {
  const first = start();
  first.listed([market('BTCUSDT')]);
  await until(() => followed.length > 0);
  turn(first, 'up');
  const lastMs = clock.now();
  deliver(first, trade(1), trade(2));
  await first.stop();
  expect(await recordedIds('BTCUSDT')).toEqual([1, 2]);

  clock.advance(60_000);
  missing = [trade(3), trade(4)];
  clock.advance(60_000);
  const second = start();
  second.listed([market('BTCUSDT')]);
  await until(() => followed.length > 1);
  turn(second, 'up');
  deliver(second, trade(5));
  await until(async () => (await recordedIds('BTCUSDT')).length === 5);
  await second.stop();
  expect(await recordedIds('BTCUSDT')).toEqual([1, 2, 3, 4, 5]);
  const ledger = new GapLedger(place.store, 'binance');
  expect(await ledger.gaps('BTCUSDT', 0, Infinity)).toMatchObject([
    { from: lastMs, state: 'refilled', reason: 'the service was not running', method: 'count', missing: 0 },
  ]);
  expect(await new TickTable(place.store).coins()).toEqual([]);
});

it('follows new listings and leaves delisted markets without a restart', async () => {
  const recording = start();
  recording.listed([market('BTCUSDT')]);
  await until(() => followed.length === 1);
  turn(recording, 'up');
  const upMs = clock.now();
  deliver(recording, trade(1));
  clock.advance(1_000);
  recording.listed([market('BTCUSDT'), market('ETHUSDT')]);
  deliver(recording, trade(7, 'ETHUSDT'), trade(2));
  clock.advance(1_000);
  recording.listed([market('ETHUSDT')]);
  deliver(recording, trade(8, 'ETHUSDT'), trade(3));
  await recording.stop();
  expect(followed).toEqual([['BTCUSDT'], ['BTCUSDT', 'ETHUSDT'], ['ETHUSDT']]);
  expect(await recordedIds('BTCUSDT')).toEqual([1, 2]);
  expect(await recordedIds('ETHUSDT')).toEqual([7, 8]);
  const ledger = new GapLedger(place.store, 'binance');
  expect((await ledger.lastSpan())?.recordCoins).toBe('ETHUSDT');
  expect(await ledger.gaps('ETHUSDT', 0, Infinity)).toMatchObject([
    { from: upMs, state: 'missing', reason: 'the market was not recorded yet' },
  ]);
});
