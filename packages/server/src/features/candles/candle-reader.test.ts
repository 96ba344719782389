import { candleIntervalsMs, HOUR_MS, ManualClock } from '@crosstape/core';
import { beforeEach, expect, it, vi } from 'vitest';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { createTapeReader } from '../tape/tape-reader.ts';
import type { TapeCoverage } from '../tape/tape-coverage.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { createCandleReader } from './candle-reader.ts';
import { CandleTable } from './candle-table.ts';
import { foldMissingHours } from './fold-missing-hours.ts';

const START_MS = Date.UTC(2026, 8, 21, 9);
const HOURS = 30;
const TRADES_PER_HOUR = 300;
const id = 'hyperliquid:BTC';
const coverage = { stretches: async () => [] } as unknown as TapeCoverage;

let store: MemoryStore;
let ticks: TickTable;
let clock: ManualClock;

/** Hours of 300 trades, half a second apart, that no candles were made of; the newest hour is in the tail. */
beforeEach(async () => {
  store = new MemoryStore();
  ticks = new TickTable(store);
  clock = new ManualClock(START_MS + HOURS * HOUR_MS);
  for (let hour = 0; hour < HOURS; hour += 1) {
    const buffer = new TickBuffer();
    const trades = sampleTrades(START_MS + hour * HOUR_MS, TRADES_PER_HOUR, hour * TRADES_PER_HOUR);
    for (const trade of trades) buffer.add(trade);
    const isNewest = hour === HOURS - 1;
    await store.commit(
      isNewest
        ? ticks.appending('BTC', buffer, 0, buffer.length, 1)
        : ticks.sealing('BTC', buffer, buffer.length, []),
    );
  }
});

function read(limit: number, interval: '1m' | '4h', beforeUnsealed = async () => {}) {
  const bus = new LocalBus(clock);
  const reader = createTapeReader({ table: ticks, bus });
  const tape = {
    ...reader,
    unsealed: async (symbol: string) => {
      await beforeUnsealed();
      return reader.unsealed(symbol);
    },
  };
  const market = { id, symbol: 'BTC', ticks, tape, coverage };
  const query = { intervalMs: candleIntervalsMs[interval], from: 0, to: clock.now(), limit };
  return createCandleReader({ store, bus }).read(market, query);
}

/** Stores the candles of the first hours. */
async function foldHours(hours: number): Promise<void> {
  const market = { prefix: 'hyperliquid', ticks, symbol: 'BTC' };
  const endMs = START_MS + hours * HOUR_MS;
  await foldMissingHours(new CandleTable(store), market, endMs, new AbortController().signal);
}

it.each([
  [1, '1m', 2],
  [10, '1m', 5],
  [2, '4h', 13],
] as const)(
  'reads no more of a history without candles than %d × %s take',
  async (limit, interval, chunksMax) => {
    const all = await read(10_000, interval);
    const chunks = vi.spyOn(ticks, 'chunks');
    const { candles, hasOlder } = await read(limit, interval);
    const results = await Promise.all(chunks.mock.results.map(({ value }) => value));
    expect(results.flat().length).toBeLessThanOrEqual(chunksMax);
    expect(candles).toEqual(all.candles.slice(-limit));
    expect(hasOlder).toBe(true);
  },
);

it('has the same candles before and after the history is folded', async () => {
  const before = await read(10_000, '1m');
  expect(before.candles.reduce((sum, { trades }) => sum + (trades ?? 0), 0)).toBe(HOURS * TRADES_PER_HOUR);
  await foldHours(HOURS - 1);
  expect((await read(10_000, '1m')).candles).toEqual(before.candles);
  expect((await read(7, '1m')).candles).toEqual(before.candles.slice(-7));
});

it('has the candles of an hour that closes while it reads', async () => {
  const before = await read(10_000, '1m');
  await foldHours(HOURS - 2);
  const { candles } = await read(10_000, '1m', () => foldHours(HOURS - 1));
  expect(candles).toEqual(before.candles);
});
