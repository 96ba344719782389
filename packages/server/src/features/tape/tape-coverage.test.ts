import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, ManualClock, MINUTE_MS, type SourceHealth } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { GapLedger } from './gap-ledger.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import {
  healthTopic,
  gapTopic,
  recorderHealthTopic,
  marketSeedingTopic,
  seedingTopic,
  tradeTopic,
} from '../../topics.ts';
import { createTapeCoverage, type TapeCoverage } from './tape-coverage.ts';

const NOW_MS = 1_790_000_000_000;

let folder: string;
let store: LmdbStore;
let ledger: GapLedger;
let clock: ManualClock;
let bus: LocalBus;
let coverage: TapeCoverage;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  store = new LmdbStore(folder);
  ledger = new GapLedger(store);
  clock = new ManualClock(NOW_MS);
  bus = new LocalBus(clock);
  const recordCoins = 'BTC,ETH';
  coverage = createTapeCoverage({ ledger, bus, clock, venue: 'hyperliquid', retentionDays: 7, recordCoins });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function feed(part: Partial<SourceHealth>): void {
  const health = {
    source: 'hyperliquid:trades',
    venue: 'hyperliquid',
    gives: ['trades'],
    status: 'ok' as const,
  };
  bus.publish(healthTopic('hyperliquid'), [
    { ...health, sinceMs: NOW_MS - 100, lastGoodMs: NOW_MS, messages: 1, refused: 0, reconnects: 0, ...part },
  ]);
}

const span = (fromAgoMs: number, toAgoMs: number) =>
  store.commit([ledger.extending({ from: NOW_MS - fromAgoMs, to: NOW_MS - toAgoMs })]);
const ago = <Part extends { from: number; to: number }>(parts: readonly Part[]) =>
  parts.map((part) => ({ ...part, from: NOW_MS - part.from, to: NOW_MS - part.to }));

it('counts the time since the ledger was last written as complete while the feed is up', async () => {
  await span(1_000, 100);
  expect(ago(await coverage.stretches('BTC', NOW_MS - 1_500, NOW_MS + 500))).toEqual([
    { from: 1_500, to: 1_000, state: 'missing' },
    { from: 1_000, to: 100, state: 'complete' },
    { from: 100, to: 0, state: 'missing' },
  ]);
  feed({});
  expect(ago(await coverage.stretches('BTC', NOW_MS - 1_500, NOW_MS + 500))).toEqual([
    { from: 1_500, to: 1_000, state: 'missing' },
    { from: 1_000, to: 0, state: 'complete' },
  ]);
});

it('calls nothing complete that was written, is not any more, and is not in the log either', async () => {
  await span(9_000, 0);
  feed({ sinceMs: NOW_MS - 9_000 });
  const of = () => coverage.stretches('BTC', NOW_MS - 9_000, NOW_MS);
  expect(ago(await of())).toEqual([{ from: 9_000, to: 0, state: 'complete' }]);
  // As after a wipe of the server, or a return to an older state.
  await ledger.prune(NOW_MS + 1);
  expect(ago(await of())).toEqual([{ from: 9_000, to: 0, state: 'missing' }]);
  await span(9_000, 6_000);
  expect(ago(await of())).toEqual([
    { from: 9_000, to: 6_000, state: 'complete' },
    { from: 6_000, to: 0, state: 'missing' },
  ]);
});

it('calls nothing complete that the first-run history still has to bring, and says why', async () => {
  const reason = 'the first-run history is still being created';
  feed({ sinceMs: NOW_MS - 500 });
  bus.publish(seedingTopic, { isDone: false, progress: 0 });
  expect(ago(await coverage.gaps('BTC', NOW_MS - 1_500, NOW_MS))).toEqual([
    { from: 1_500, to: 0, state: 'missing', reason },
  ]);
  expect(ago(await coverage.stretches('BTC', NOW_MS - 1_500, NOW_MS))).toEqual([
    { from: 1_500, to: 0, state: 'missing' },
  ]);
  expect(await coverage.recordedSinceMs()).toBeUndefined();

  await span(1_000, 100);
  const tape = { fromMs: NOW_MS - 1_000, toMs: NOW_MS - 100 };
  bus.publish(seedingTopic, { isDone: false, progress: 0.5, tape });
  expect(ago(await coverage.gaps('BTC', NOW_MS - 1_500, NOW_MS))).toEqual([
    { from: 1_500, to: 1_000, state: 'missing', reason },
  ]);
  bus.publish(seedingTopic, { isDone: true, progress: 1, tape });
  expect(ago(await coverage.gaps('BTC', NOW_MS - 1_500, NOW_MS))).toMatchObject([
    { from: 1_500, to: 1_000, reason: 'before the record begins' },
  ]);
});

it('explains missing history only for a market whose history is being created', async () => {
  const topicName = (symbol: string): string => `okx:${symbol}`;
  const parts = { ledger, bus, clock, venue: 'okx', retentionDays: 7, recordCoins: 'all', topicName };
  const secondary = createTapeCoverage({ ...parts, isFollowed: () => true });
  await span(1_000, 0);
  const reasons = async (symbol: string): Promise<readonly string[]> =>
    (await secondary.gaps(symbol, NOW_MS - 1_500, NOW_MS)).map(({ reason }) => reason);
  bus.publish(seedingTopic, { isDone: true, progress: 1 });
  bus.publish(marketSeedingTopic, { isDone: false, markets: ['okx:BTC'] });
  expect(await reasons('BTC')).toEqual(['the first-run history is still being created']);
  expect(await reasons('XRP')).toEqual(['before the record begins']);
  bus.publish(marketSeedingTopic, { isDone: true, markets: [] });
  expect(await reasons('BTC')).toEqual(['before the record begins']);
});

it('knows when a venue was recorded without a market, and since when a market is recorded no more', async () => {
  let hasLeft = false;
  const parts = { ledger, bus, clock, venue: 'hyperliquid', retentionDays: 7, recordCoins: 'all' };
  const venue = createTapeCoverage({ ...parts, isFollowed: () => false, hasLeft: () => hasLeft });
  const leftOut = async (symbol: string) =>
    ago(await venue.leftOut(symbol, NOW_MS - 9_000, NOW_MS)).map(({ from, to }) => ({ from, to }));
  const extend = (fromAgoMs: number, toAgoMs: number, recordCoins: string) =>
    store.commit([ledger.extending({ from: NOW_MS - fromAgoMs, to: NOW_MS - toAgoMs, recordCoins })]);
  await extend(8_000, 7_000, 'BTC,ETH');
  // Nothing was recorded since.
  expect(await leftOut('ETH')).toEqual([]);
  await extend(6_000, 4_000, 'BTC');
  expect(await leftOut('ETH')).toEqual([{ from: 6_000, to: 4_000 }]);
  expect(await leftOut('BTC')).toEqual([]);
  hasLeft = true;
  expect(await leftOut('BTC')).toEqual([{ from: 4_000, to: 0 }]);
  const gap = { coin: 'ETH', from: NOW_MS - 7_000, to: NOW_MS - 5_000, state: 'missing' } as const;
  await store.commit([...ledger.entering([{ ...gap, reason: 'left while the feed was down' }])]);
  expect(await leftOut('ETH')).toEqual([
    { from: 6_000, to: 4_000 },
    { from: 5_000, to: 0 },
  ]);
});

it('gives the reason of each gap of the ledger, the time before the record, the time between, and a current outage', async () => {
  await span(9_000, 8_000);
  await span(7_000, 5_000);
  await store.commit([
    ...ledger.entering([
      { coin: 'BTC', from: NOW_MS - 6_000, to: NOW_MS - 5_500, state: 'refilled', reason: 'a hiccup' },
      { coin: 'ETH', from: NOW_MS - 6_000, to: NOW_MS - 5_500, state: 'missing', reason: 'not ours' },
    ]),
  ]);
  feed({
    status: 'down',
    error: 'The socket is closed.',
    sinceMs: NOW_MS - 4_000,
    lastGoodMs: NOW_MS - 5_000,
  });
  expect(ago(await coverage.gaps('BTC', NOW_MS - 10_000, NOW_MS))).toEqual([
    { from: 10_000, to: 9_000, state: 'missing', reason: 'before the record begins' },
    { from: 8_000, to: 7_000, state: 'missing', reason: 'the feed was not up' },
    { from: 6_000, to: 5_500, state: 'refilled', reason: 'a hiccup' },
    { from: 5_000, to: 0, state: 'missing', reason: 'The socket is closed.' },
  ]);
});

it('believes no health that has been silent for a minute', async () => {
  feed({ lastGoodMs: NOW_MS - 61_000, sinceMs: NOW_MS - 90_000 });
  expect(await coverage.stretches('BTC', NOW_MS - 10, NOW_MS)).toMatchObject([{ state: 'missing' }]);
});

it('has no gap at the retention edge in a window that was fixed a moment before', async () => {
  await span(8 * DAY_MS, 0);
  const from = NOW_MS - 7 * DAY_MS;
  clock.advance(3);
  feed({});
  expect(await coverage.gaps('BTC', from, NOW_MS)).toEqual([]);
  expect(await coverage.stretches('BTC', from, NOW_MS)).toEqual([{ from, to: NOW_MS, state: 'complete' }]);
});

it('has nothing of a coin that is not recorded, and nothing older than the retention', async () => {
  await span(9 * DAY_MS, 0);
  expect(await coverage.gaps('DOGE', NOW_MS - 10, NOW_MS)).toMatchObject([
    { state: 'missing', reason: 'this coin is not recorded' },
  ]);
  expect(ago(await coverage.gaps('BTC', NOW_MS - 8 * DAY_MS, NOW_MS))).toMatchObject([
    { from: 8 * DAY_MS, to: 7 * DAY_MS, state: 'missing' },
  ]);
  expect(await coverage.recordedSinceMs()).toBe(NOW_MS - 7 * DAY_MS);
});

it('returns nothing of the future, and no beginning before there is one', async () => {
  expect(await coverage.stretches('BTC', NOW_MS, NOW_MS + 10)).toEqual([]);
  expect(await coverage.gaps('BTC', NOW_MS, NOW_MS + 10)).toEqual([]);
  expect(await coverage.recordedSinceMs()).toBeUndefined();
  feed({});
  expect(await coverage.recordedSinceMs()).toBe(NOW_MS - 100);
});

it('knows a gap from its report, however long it waits to be written, and once', async () => {
  await span(9_000, 0);
  const gap = { from: NOW_MS - 5_000, to: NOW_MS - 4_000, state: 'partial', reason: 'odd' } as const;
  const grown = { ...gap, to: NOW_MS - 3_000 };
  for (const coin of ['BTC', 'DOGE']) {
    for (const one of [gap, grown]) bus.publish(gapTopic(coin), { ts: NOW_MS, ...one });
  }
  const gaps = (coin: string) => coverage.gaps(coin, NOW_MS - 4_500, NOW_MS);
  expect(await gaps('BTC')).toEqual([grown]);
  expect((await coverage.stretches('BTC', NOW_MS - 4_500, NOW_MS))[0]?.state).toBe('partial');
  expect((await gaps('DOGE')).map(({ state }) => state)).toEqual(['missing']);
  await store.commit([...ledger.entering([{ coin: 'BTC', ...gap }])]);
  expect(await gaps('BTC')).toEqual([grown]);
  // A manual refill since then is kept as written.
  const filled = { ...grown, state: 'refilled' } as const;
  await store.commit([...ledger.entering([{ coin: 'BTC', ...filled }])]);
  expect(await gaps('BTC')).toEqual([filled]);
});

it('knows a minute of late trades from its report within a gap that is written as refilled', async () => {
  await span(9_000, 0);
  const filled = { from: NOW_MS - 5_000, to: NOW_MS - 1_000, state: 'refilled', reason: 'odd' } as const;
  const late = { ...filled, from: NOW_MS - 4_000, to: NOW_MS - 3_000, state: 'partial', late: true } as const;
  await store.commit([...ledger.entering([{ coin: 'BTC', ...filled }])]);
  bus.publish(gapTopic('BTC'), { ts: NOW_MS, ...late });
  expect(await coverage.gaps('BTC', NOW_MS - 6_000, NOW_MS)).toEqual([filled, late]);
  await store.commit([...ledger.entering([{ coin: 'BTC', ...late }])]);
  expect(await coverage.gaps('BTC', NOW_MS - 6_000, NOW_MS)).toEqual([filled, late]);
});

it('has nothing of a coin from the time when the setting left it out, and says so', async () => {
  const entry = (fromAgoMs: number, toAgoMs: number, recordCoins: string) =>
    ledger.extending({ from: NOW_MS - fromAgoMs, to: NOW_MS - toAgoMs, recordCoins });
  await span(9_000, 8_000);
  await store.commit([
    entry(7_000, 5_000, 'BTC,sol'),
    entry(4_000, 2_000, 'all'),
    entry(2_000, 0, 'eth,BTC'),
  ]);
  expect(ago(await coverage.stretches('ETH', NOW_MS - 9_000, NOW_MS))).toEqual([
    { from: 9_000, to: 8_000, state: 'complete' },
    { from: 8_000, to: 4_000, state: 'missing' },
    { from: 4_000, to: 0, state: 'complete' },
  ]);
  expect(ago(await coverage.gaps('ETH', NOW_MS - 9_000, NOW_MS))).toEqual([
    { from: 8_000, to: 7_000, state: 'missing', reason: 'the feed was not up' },
    { from: 7_000, to: 5_000, state: 'missing', reason: 'this coin was not recorded' },
    { from: 5_000, to: 4_000, state: 'missing', reason: 'the feed was not up' },
  ]);
  expect(ago(await coverage.gaps('BTC', NOW_MS - 9_000, NOW_MS))).toMatchObject([
    { from: 8_000, to: 7_000 },
    { from: 5_000, to: 4_000 },
  ]);
  // Imports since then are kept.
  const filled = { from: NOW_MS - 7_000, to: NOW_MS - 6_000, state: 'refilled', reason: 'a file' } as const;
  await store.commit([...ledger.entering([{ coin: 'ETH', ...filled }])]);
  expect(await coverage.stretches('ETH', filled.from, filled.to)).toMatchObject([{ state: 'refilled' }]);
});

it('misses unwritten trades once the log has dropped them, until they are written', async () => {
  await span(9_000, 0);
  clock.advance(2_000);
  const failedMs = clock.now();
  const failing = {
    status: 'failing',
    unwritten: 1,
    lost: 0,
    error: 'no space left',
    sinceMs: failedMs,
  } as const;
  bus.publish(recorderHealthTopic, failing);
  const plain = {
    venue: 'hyperliquid',
    side: 'buy',
    price: 1,
    size: 1,
    notionalUsd: 1,
    sameOrder: false,
  } as const;
  const traded = (coin: string, tid: number): void =>
    bus.publish(tradeTopic(coin), { ...plain, coin, ts: clock.now(), tid });
  traded('ETH', 1);
  for (let minute = 0; minute <= 20; minute += 1) {
    traded('BTC', minute);
    feed({ sinceMs: NOW_MS - 9_000, lastGoodMs: clock.now() });
    if (minute === 11) expect(await coverage.gaps('BTC', NOW_MS - 9_000, clock.now())).toEqual([]);
    if (minute < 20) clock.advance(MINUTE_MS);
  }
  const stretches = (coin: string) => coverage.stretches(coin, NOW_MS - 9_000, clock.now());
  const gap = { from: failedMs - 1_000, to: failedMs + 7 * MINUTE_MS + 1 };
  expect(await coverage.gaps('BTC', NOW_MS - 9_000, clock.now())).toEqual([
    { ...gap, state: 'missing', reason: 'trades wait to be written' },
  ]);
  expect(await coverage.gaps('BTC', NOW_MS - 9_000, gap.from)).toEqual([]);
  expect(await stretches('BTC')).toMatchObject([
    { state: 'complete' },
    { ...gap, state: 'missing' },
    { state: 'complete' },
  ]);
  // All that was traded of it is still in the log.
  expect(await stretches('ETH')).toMatchObject([{ state: 'complete' }]);
  await span(9_000, NOW_MS - clock.now());
  bus.publish(recorderHealthTopic, { status: 'ok', unwritten: 0, lost: 0 });
  expect(await stretches('BTC')).toMatchObject([{ state: 'complete' }]);
});
