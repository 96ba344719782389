import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Candle, DAY_MS, HOUR_MS, ManualClock, type VenueCandle } from '@crosstape/core';
import { type CandleSpan, primaryVenue, type VenueCandles, venueIntervalsMs } from '@crosstape/venues';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SourceFailure } from '../../ingest/source-failure.ts';
import { readBackfill } from '../../platform/backfill-days.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { backfillTopic } from '../../topics.ts';
import { Backfill } from '../backfill/backfill.ts';
import { CandleTasks } from './candle-task.ts';
import { CandleTable, hourLevel, minuteLevel } from './candle-table.ts';
import type { OpenedMarket } from './opened-markets.ts';

const NOW = Date.UTC(2026, 10, 16, 12);
/** In the middle of an hour. */
const TAPE_FROM = NOW - 2 * HOUR_MS - 1_800_000;
const RECORD_HOUR = NOW - 3 * HOUR_MS;
const LISTED = NOW - 3 * DAY_MS;
const LATE = { timeout: 15_000, interval: 5 };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const market = 'hyperliquid:BTC';

let folder: string;
let store: LmdbStore;
let table: CandleTable;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  store = new LmdbStore(folder);
  table = new CandleTable(store);
  const state = { tapeFrom: TAPE_FROM, settledTo: NOW - HOUR_MS };
  await table.commit([table.puttingState(market, state)]);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function rowAt(ts: number): VenueCandle {
  return { ts, open: 100, high: 101, low: 99.5, close: 100, volume: '2.5', trades: 7 };
}

class Process {
  readonly clock = new ManualClock(NOW);
  readonly bus = new LocalBus(this.clock);
  readonly asked: CandleSpan[] = [];
  failure: Error | undefined;
  readonly errors: object[] = [];
  readonly backfill: Backfill;

  constructor() {
    const { clock, bus } = this;
    const opened = [{ id: market, symbol: 'BTC' }] as unknown as readonly OpenedMarket[];
    const days = readBackfill('1h:365,1m:2') ?? { '1h': 0, '1m': 0 };
    const inTurn = (work: () => Promise<void>): Promise<void> => work();
    this.backfill = new Backfill({
      bus,
      clock,
      log: { ...silent, error: (fields) => this.errors.push(fields) },
    });
    const tasks = new CandleTasks({ store, clock, days, marketsOf: async () => opened, inTurn });
    const task = tasks.of({
      publisher: primaryVenue,
      candles: primaryVenue.connector?.candles as VenueCandles,
      weightPerMinute: 1_200,
      read: async (span) => {
        this.asked.push(span);
        if (this.failure) throw this.failure;
        const stepMs = venueIntervalsMs[span.interval];
        const fromMs = Math.max(LISTED, span.fromMs);
        const length = Math.max(0, (span.toMs - fromMs) / stepMs);
        return Array.from({ length }, (_, i) => rowAt(fromMs + i * stepMs));
      },
    });
    this.backfill.add(task);
  }

  start(): this {
    this.backfill.start();
    return this;
  }

  async advanceUntil(isThere: () => boolean): Promise<void> {
    await vi.waitUntil(() => {
      this.clock.advance(1_000);
      return isThere();
    }, LATE);
  }
}

async function stored(level: typeof minuteLevel): Promise<readonly Candle[]> {
  const blocks = await table.newestBlocks(level, market, 0, Number.MAX_SAFE_INTEGER, 1_000);
  return blocks.toReversed().flatMap(({ candles }) => candles);
}

it('stores hours and minutes from before the record, newest first, and stops where the venue has no more', async () => {
  const prices = { open: 1_000, high: 1_000, low: 1_000, close: 1_000, priceDecimals: 1, sizeDecimals: 1 };
  const sums = { volume: 99, liqLong: 0, liqShort: 0 };
  const own: Candle = { ts: RECORD_HOUR - 5 * HOUR_MS, ...prices, ...sums, origin: 'tape' };
  const startTs = Math.floor(own.ts / hourLevel.blockMs) * hourLevel.blockMs;
  await table.commit([table.putting(hourLevel, market, { startTs, toTs: own.ts + HOUR_MS, candles: [own] })]);
  const process = new Process().start();
  await process.advanceUntil(() => process.bus.latest(backfillTopic)?.message.isDone ?? false);
  const hours = await stored(hourLevel);
  expect(hours.map(({ ts }) => ts)).toEqual(
    Array.from({ length: (RECORD_HOUR - LISTED) / HOUR_MS }, (_, i) => LISTED + i * HOUR_MS),
  );
  // Recorded candles are kept.
  expect(hours.filter(({ origin }) => origin === 'tape')).toMatchObject([{ ts: own.ts, volume: 99 }]);
  const minutes = await stored(minuteLevel);
  expect(minutes.at(-1)).toMatchObject({ ts: RECORD_HOUR - 60_000, origin: 'venue', volume: 25, trades: 7 });
  expect(minutes[0]?.ts).toBe(NOW - 2 * DAY_MS + HOUR_MS);
  const blocks = store.table(minuteLevel.table, 'binary');
  const notJoined = await blocks.keys({ from: [market, 0], to: [market, RECORD_HOUR], limit: 100 });
  expect(notJoined).toEqual([]);
  const spans = process.asked.filter(({ interval }) => interval === '1h');
  expect(spans[0]?.toMs).toBe(RECORD_HOUR);
  // One with candles, and two without.
  expect(spans).toHaveLength(3);
  await process.backfill.stop();
});

it('continues where it was after a restart, and after a failure', async () => {
  const first = new Process().start();
  await first.advanceUntil(() => first.asked.length > 1);
  await first.backfill.stop();
  const second = new Process();
  second.failure = new SourceFailure('down', 'HTTP 503');
  second.start();
  await vi.waitUntil(() => second.asked.length === 1, LATE);
  expect(second.asked[0]?.toMs).toBeLessThan(RECORD_HOUR);
  second.failure = undefined;
  await vi.waitUntil(() => {
    second.clock.advance(60_000);
    return second.bus.latest(backfillTopic)?.message.isDone ?? false;
  }, LATE);
  expect(second.asked.filter(({ toMs, interval }) => interval === '1h' && toMs === RECORD_HOUR)).toEqual([]);
  await second.backfill.stop();
});

it.each([
  ['off', { '1h': 0, '1m': 0 }],
  ['1m:30', { '1h': 0, '1m': 30 }],
  ['1h:365,1m:30', { '1h': 365, '1m': 30 }],
  ['1h:365,1h:3', undefined],
  ['5m:3', undefined],
  ['1h:9999', undefined],
  ['', undefined],
])('reads BACKFILL=%s', (text, days) => {
  expect(readBackfill(text)).toEqual(days);
});

it('logs what cannot be stored, but not that its source has stopped', async () => {
  const process = new Process();
  process.failure = new DOMException('This operation was aborted', 'AbortError');
  process.start();
  await process.advanceUntil(() => process.asked.length === 1);
  process.failure = new Error('no room');
  await process.advanceUntil(() => process.errors.length > 0);
  expect(process.errors).toMatchObject([{ err: { message: 'no room' } }]);
  await process.backfill.stop();
});
