import {
  type Bar,
  barAt,
  candleIntervalsMs,
  candleRow,
  createBuilder,
  HOUR_MS,
  intervalStart,
  type Liquidation,
  ManualClock,
  MINUTE_MS,
  type Trade,
} from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import type { LmdbStore } from '../../store/lmdb-store.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { candlesTopic, liquidationTopic, seedingTopic, tradeTopic } from '../../topics.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { createTapeCoverage } from '../tape/tape-coverage.ts';
import { createTapeReader } from '../tape/tape-reader.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickRecorder } from '../tape/tick-recorder.ts';
import { TickTable } from '../tape/tick-table.ts';
import { CandleLedger } from './candle-ledger.ts';
import { completeness, createCandleReader } from './candle-reader.ts';
import { CandleTable, hourLevel, minuteLevel } from './candle-table.ts';

const START_MS = Date.UTC(2026, 8, 21, 9);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const market = 'hyperliquid:BTC';

const place = storePerTest();
let store: LmdbStore;
beforeEach(() => {
  ({ store } = place);
});

/** A process that records; one that is killed simply stops being used. */
class Process {
  readonly clock: ManualClock;
  readonly bus: LocalBus;
  readonly ticks = new TickTable(store);
  readonly gaps = new GapLedger(store);
  readonly ledger: CandleLedger;
  readonly recorder: TickRecorder;

  constructor(nowMs: number, options: { hasCandles?: boolean } = {}) {
    this.clock = new ManualClock(nowMs);
    this.bus = new LocalBus(this.clock);
    const { clock, bus } = this;
    const keptFromMs = (keepMs: number) => clock.now() - keepMs;
    this.ledger = new CandleLedger({ store, bus, clock, log: silent, candleDays: 1_825, keptFromMs });
    this.recorder = new TickRecorder({
      venue: 'hyperliquid',
      // The test decides when it writes.
      clock: new ManualClock(nowMs),
      table: this.ticks,
      ledger: this.gaps,
      log: silent,
      retentionDays: 7,
      keptFromMs,
      recordCoins: 'all',
      connectedSpan: () => ({ fromMs: nowMs, toMs: clock.now() }),
      ...(options.hasCandles !== false && { candles: this.ledger.writer('hyperliquid') }),
    });
  }

  async start(): Promise<this> {
    await this.recorder.restore();
    this.bus.publish(seedingTopic, { isDone: true, progress: 1 });
    this.ledger.start();
    return this;
  }

  trade(trade: Trade): void {
    this.clock.advance(Math.max(0, trade.ts - this.clock.now()));
    this.recorder.add(trade);
    this.bus.publish(tradeTopic('BTC'), trade);
  }

  read(intervalMs: number, range: { from?: number; to?: number; limit?: number } = {}) {
    const { clock, bus, ticks } = this;
    const tape = createTapeReader({ table: ticks, bus });
    const coverage = createTapeCoverage({
      clock,
      bus,
      ledger: this.gaps,
      venue: 'hyperliquid',
      retentionDays: 7,
      recordCoins: 'all',
    });
    const own = { id: market, symbol: 'BTC', ticks, tape, coverage };
    const query = { intervalMs, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 10_000, ...range };
    return createCandleReader({ store, bus }).read(own, query);
  }

  async rows(intervalMs: number) {
    const { candles, gaps } = await this.read(intervalMs);
    const isComplete = completeness(gaps);
    return candles.map((candle) => candleRow(candle, isComplete(candle.ts, candle.ts + intervalMs)));
  }
}

/** Trades a few seconds apart, now and then minutes or hours, with changing decimals. */
function tradesOf(seed: number, count: number, fromMs: number): Trade[] {
  let state = seed;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  let ts = fromMs;
  return Array.from({ length: count }, (_, tid) => {
    ts += random(40) === 0 ? random(2 * HOUR_MS) : random(30_000);
    const price = (1_000_000 + random(5_000)) / 10 ** random(3);
    return {
      coin: 'BTC',
      venue: 'hyperliquid',
      side: random(2) === 0 ? 'buy' : 'sell',
      price,
      size: (1 + random(99_999)) / 10 ** random(6),
      notionalUsd: 0,
      ts,
      tid,
      sameOrder: false,
    } as const;
  });
}

/** Bars of the same trades, as in a build. */
function barsOf(trades: readonly Trade[], intervalMs: number): readonly Bar[] {
  const buffer = new TickBuffer();
  for (const trade of trades) buffer.add(trade);
  const builder = createBuilder({ kind: 'time', params: { intervalMs }, tick: 1 });
  builder.add(buffer.columns);
  const closed = Array.from({ length: builder.bars.length }, (_, i) => barAt(builder.bars, i));
  return builder.open ? [...closed, builder.open] : closed;
}

function figuresOf({ openTs, open, high, low, close, volume, buyVolume, notionalUsd, trades }: Bar) {
  return { ts: openTs, open, high, low, close, volume, buyVolume, notionalUsd, trades };
}

/** From the ledger of minutes, and from that of hours. */
const intervals = (['1m', '15m', '1h', '1d'] as const).map((name) => candleIntervalsMs[name]);

async function expectBars(process: Process, trades: readonly Trade[]): Promise<void> {
  for (const intervalMs of intervals) {
    const rows = await process.rows(intervalMs);
    expect(
      rows.map(({ buyTrades: _, liqLongUsd: _l, liqShortUsd: _s, complete: _c, origin: _o, ...row }) => row),
    ).toEqual(barsOf(trades, intervalMs).map(figuresOf));
  }
}

it.each([1, 2])('equals builds of time bars over kills and restarts (seed %i)', async (seed) => {
  const trades = tradesOf(seed, 1_200, START_MS);
  let process = await new Process(START_MS).start();
  const kept: Trade[] = [];
  for (const [i, trade] of trades.entries()) {
    process.trade(trade);
    kept.push(trade);
    if (i % 97 === 0) await process.recorder.write();
    if (i % 400 === 399) {
      await process.recorder.write();
      await expectBars(process, kept);
      // Trades after the last write are lost with the process.
      process.recorder.add({ ...trade, ts: trade.ts + 1, tid: 1e6 + i });
      await process.ledger.stop();
      process = await new Process(trade.ts + 1).start();
      await expectBars(process, kept);
    }
  }
  await process.recorder.write();
  await expectBars(process, kept);
});

it('folds a tape that was recorded without candles, and reads it meanwhile', async () => {
  const trades = tradesOf(5, 1_000, START_MS);
  const old = await new Process(START_MS, { hasCandles: false }).start();
  for (const trade of trades) old.trade(trade);
  await old.recorder.write();
  await old.ledger.stop();
  const process = new Process(trades.at(-1)?.ts ?? 0);
  await process.recorder.restore();
  await expectBars(process, trades);
  process.bus.publish(seedingTopic, { isDone: true, progress: 1 });
  process.ledger.start();
  await expect.poll(() => process.bus.latest(candlesTopic)?.message.isCaughtUp).toBe(true);
  await expectBars(process, trades);
  const table = new CandleTable(store);
  const minutes = await table.newestBlocks(minuteLevel, market, 0, Number.MAX_SAFE_INTEGER, 1_000);
  expect(minutes.length).toBeGreaterThan(10);
  const startTs = intervalStart(START_MS, hourLevel.blockMs);
  await expect.poll(() => table.block(hourLevel, market, startTs)).toBeDefined();
  await process.ledger.stop();
});

it('stores gaps for longer than the tape, and says which candles they meet', async () => {
  const process = await new Process(START_MS).start();
  const gap = { coin: 'BTC', from: START_MS + 90_000, to: START_MS + 100_000, reason: 'test' } as const;
  process.recorder.enter({ ...gap, state: 'missing' });
  process.recorder.enter({ ...gap, from: START_MS + 200_000, to: START_MS + 201_000, state: 'refilled' });
  for (let n = 0; n < 600; n += 1)
    process.trade({ ...(tradesOf(1, 1, 0)[0] as Trade), ts: START_MS + n * 30_000, tid: n });
  await process.recorder.write();
  const firstOf = async (intervalMs: number) =>
    (await process.rows(intervalMs)).slice(0, 4).map(({ complete }) => complete);
  expect(await firstOf(MINUTE_MS)).toEqual([true, false, true, true]);
  expect(await firstOf(HOUR_MS)).toEqual([false, true, true, true]);
  const table = new CandleTable(store);
  process.clock.advance(15 * MINUTE_MS);
  await expect.poll(async () => (await table.state(market))?.settledTo).toBe(START_MS + 3 * HOUR_MS);
  const blocks = store.table(minuteLevel.table, 'binary');
  const notJoined = () =>
    blocks.keys({ from: [market, 0], to: [market, START_MS + 3 * HOUR_MS], limit: 100 });
  await expect.poll(notJoined).toEqual([]);
  expect(await table.gaps(market, 0, Number.MAX_SAFE_INTEGER)).toEqual([{ from: gap.from, to: gap.to }]);
  expect(await firstOf(MINUTE_MS)).toEqual([true, false, true, true]);
  expect(await firstOf(HOUR_MS)).toEqual([false, true, true, true]);
  await process.ledger.stop();
});

it('adds up liquidations by the side of the position, also those that come late', async () => {
  const process = await new Process(START_MS).start();
  const one = tradesOf(1, 1, 0)[0] as Trade;
  const liquidation = (ts: number, side: 'buy' | 'sell', notionalUsd: number): Liquidation => ({
    coin: 'BTC',
    venue: 'hyperliquid',
    side,
    price: 100,
    size: 1,
    notionalUsd,
    ts,
    inferred: true,
  });
  process.trade({ ...one, ts: START_MS + 1 });
  process.bus.publish(liquidationTopic, liquidation(START_MS + 2, 'sell', 10.5));
  process.trade({ ...one, ts: START_MS + MINUTE_MS, tid: 2 });
  process.bus.publish(liquidationTopic, liquidation(START_MS + MINUTE_MS + 2, 'buy', 0.1));
  await process.recorder.write();
  const liquidated = async () =>
    (await process.rows(MINUTE_MS)).map((row) => [row.liqLongUsd, row.liqShortUsd]);
  expect(await liquidated()).toEqual([
    [10.5, 0],
    [0, 0.1],
  ]);
  process.bus.publish(liquidationTopic, liquidation(START_MS + 3, 'sell', 0.2));
  process.trade({ ...one, ts: START_MS + 2 * MINUTE_MS, tid: 3 });
  await process.recorder.write();
  expect(await liquidated()).toEqual([
    [10.7, 0],
    [0, 0.1],
    [0, 0],
  ]);
  await process.ledger.stop();
});

it('pages back without a gap or a repeat', async () => {
  const trades = tradesOf(9, 800, START_MS);
  const process = await new Process(START_MS).start();
  for (const trade of trades) process.trade(trade);
  await process.recorder.write();
  const all = (await process.read(5 * MINUTE_MS)).candles.map(({ ts }) => ts);
  const paged: number[] = [];
  for (let to = Number.MAX_SAFE_INTEGER; ; ) {
    const { candles, hasOlder } = await process.read(5 * MINUTE_MS, { to, limit: 17 });
    paged.unshift(...candles.map(({ ts }) => ts));
    if (!hasOlder) break;
    to = candles[0]?.ts ?? 0;
  }
  expect(paged).toEqual(all);
  await process.ledger.stop();
});
