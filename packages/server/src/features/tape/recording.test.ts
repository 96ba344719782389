import { ManualClock, type Print, type Trade } from '@crosstape/core';
import { beforeEach, expect, it, vi } from 'vitest';
import { Failure } from '../../platform/errors.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { startRecording } from './recording.ts';
import { GapLedger } from './gap-ledger.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { TickBuffer } from './tick-buffer.ts';
import { TickTable } from './tick-table.ts';
import { WhaleTable } from '../whales/whale-table.ts';
import { recorderHealthTopic } from '../../topics.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';

const NOW_MS = 1_790_000_000_000;
const times = { keptFromMs: () => undefined, nowMs: () => NOW_MS };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const place = storePerTest();
let store: LmdbStore;

beforeEach(() => {
  ({ store } = place);
});

function fill(agoMs: number, tid: number, sameOrder = false): Trade {
  const [price, size] = [50_000, 1.5];
  const what = { coin: 'BTC', venue: 'hyperliquid', side: 'buy' as const, price, size };
  return { ...what, notionalUsd: price * size, ts: NOW_MS - agoMs, tid, sameOrder };
}

it('stores the large prints whose trades were written before a kill, but not the prints themselves', async () => {
  const [ticks, ledger, whales] = [new TickTable(store), new GapLedger(store), new WhaleTable(store)];
  // One from before the inspected minute, one already stored, one not stored, a small one.
  const trades = [fill(61_100, 1), fill(61_100, 2, true), fill(9_000, 3), fill(9_000, 4, true)];
  trades.push(fill(5_000, 5), fill(5_000, 6, true), fill(2_000, 7));
  const buffer = new TickBuffer();
  for (const trade of trades) buffer.add(trade);
  await store.commit([
    ...ticks.appending('BTC', buffer, 0, trades.length, 1),
    ledger.extending({ from: NOW_MS - 100_000, to: NOW_MS - 1_000 }),
  ]);
  const { sameOrder: _, ...first } = fill(9_000, 3);
  const stored: Print = { ...first, size: 9, notionalUsd: 450_000, fills: 6 };
  await whales.append([stored]);
  const clock = new ManualClock(NOW_MS);
  const options = {
    clock,
    bus: new LocalBus(clock),
    log: silent,
    ticks,
    ledger,
    whales,
    retentionDays: 7,
    ...times,
  };
  const recording = await startRecording({
    ...options,
    venue: 'hyperliquid',
    recordCoins: 'all',
    onTrade: () => {},
  });
  expect(options.bus.latest(recorderHealthTopic)?.message).toMatchObject({ status: 'ok', unwritten: 0 });
  await recording.stop();
  expect(await whales.newest({ minUsd: 100_000, limit: 10 })).toMatchObject([
    { ts: NOW_MS - 5_000, tid: 5, notionalUsd: 150_000, size: 3, fills: 2 },
    stored,
  ]);
});

it('takes the tape up later, and once, when it cannot be read at the takeover', async () => {
  const [ticks, ledger, whales] = [new TickTable(store), new GapLedger(store), new WhaleTable(store)];
  const read = vi.spyOn(whales, 'newest').mockRejectedValueOnce(new Failure('upstream_unavailable', 'away'));
  const clock = new ManualClock(NOW_MS);
  const warn = vi.fn();
  const recording = await startRecording({
    venue: 'hyperliquid',
    clock,
    bus: new LocalBus(clock),
    log: { ...silent, warn },
    ticks,
    ledger,
    whales,
    retentionDays: 7,
    ...times,
    recordCoins: 'all',
    onTrade: () => {},
    turn: { acquired: async () => {}, trades: () => [[fill(500, 8)]], prints: () => [] },
  });
  await vi.waitUntil(() => warn.mock.calls.length === 1);
  clock.advance(500);
  await vi.waitUntil(() => read.mock.calls.length === 2);
  await recording.stop();
  expect((await ticks.tail('BTC')).map(({ columns }) => columns.length)).toEqual([1]);
});
