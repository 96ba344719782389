import {
  type Candle,
  CandleFold,
  intervalStart,
  ManualClock,
  notionalUsdOf,
  type Trade,
} from '@crosstape/core';
import { beforeEach, expect, it, vi } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { candlesTopic, halfHoursTopic } from '../../topics.ts';
import { CandleTable, minuteLevel } from '../candles/candle-table.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { HALF_HOUR_MS, HALF_HOURS, watchCloses } from './watch-closes.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const START_MS = intervalStart(1_763_164_800_000, minuteLevel.blockMs);
const venue = 'hyperliquid';
const market = `${venue}:BTC`;
let store: MemoryStore;
let table: CandleTable;

beforeEach(() => {
  open = undefined;
  store = new MemoryStore();
  table = new CandleTable(store);
});

/** Seven minutes apart, with an hour and a half of silence in the middle. */
const trades = Array.from({ length: 60 }, (_, i): Trade => {
  const price = 100 + i / 4;
  const ts = START_MS + i * 420_000 + (i < 30 ? 0 : 5_400_000);
  const facts = { coin: 'BTC', venue, side: 'buy', size: 1, tid: i, sameOrder: false } as const;
  return { ...facts, price, ts, notionalUsd: notionalUsdOf(price, 1) };
});

let open: Candle | undefined;

/** Stores the candles of trades, in blocks of an hour, but for the newest, which no later trade has closed. */
async function record(upTo: number, change = (candle: Candle): Candle => candle): Promise<void> {
  const buffer = new TickBuffer();
  for (const trade of trades.slice(0, upTo)) buffer.add(trade);
  const fold = new CandleFold(minuteLevel.intervalMs);
  fold.add(buffer.columns);
  const hours = new Map<number, Candle[]>();
  open = fold.open && change(fold.open);
  for (const candle of fold.closed) {
    const startTs = intervalStart(candle.ts, minuteLevel.blockMs);
    hours.set(startTs, [...(hours.get(startTs) ?? []), change(candle)]);
  }
  for (const [startTs, candles] of hours) {
    const toTs = Math.min(startTs + minuteLevel.blockMs, open?.ts ?? Infinity);
    await table.commit([table.putting(minuteLevel, market, { startTs, toTs, candles })]);
  }
}

/** The last price in each half hour before a time, looked for trade by trade. */
function closesBy(untilMs: number, received: readonly Trade[]): (number | null)[] {
  return Array.from({ length: HALF_HOURS }, (_, i) => {
    const endMs = untilMs - (HALF_HOURS - 1 - i) * HALF_HOUR_MS;
    return received.findLast(({ ts }) => ts >= endMs - HALF_HOUR_MS && ts < endMs)?.price ?? null;
  });
}

/** A watch that is stopped by what it returns; it fails as often as asked. */
function watchAt(clock: ManualClock, failures = 0) {
  const bus = new LocalBus(clock);
  bus.publish(candlesTopic, { isCaughtUp: false });
  let calls = 0;
  const coins = async (): Promise<string[]> => {
    calls += 1;
    if (calls <= failures) throw new Error('the disk is away');
    return ['BTC'];
  };
  const newestBlocks = vi.spyOn(CandleTable.prototype, 'newestBlocks');
  const stop = watchCloses({
    clock,
    bus,
    log: quiet,
    store,
    ticks: { coins },
    venue,
    openCandle: () => open,
  });
  return {
    bus,
    latest: () => bus.latest(halfHoursTopic)?.message,
    /** The ranges that were read, as times. */
    ranges: () => newestBlocks.mock.calls.map(([, , from, to]) => [from, to]),
    async stop() {
      await stop();
      newestBlocks.mockRestore();
    },
  };
}

it('returns the last price of every half hour of a day, and null for those without a trade', async () => {
  await record(60);
  const untilMs = START_MS + 17 * HALF_HOUR_MS;
  const watch = watchAt(new ManualClock(untilMs + 10_000));
  expect(watch.ranges()).toEqual([]);
  watch.bus.publish(candlesTopic, { isCaughtUp: true });
  await vi.waitUntil(watch.latest);
  const expected = closesBy(untilMs, trades);
  expect(expected.filter((close) => close !== null).length).toBeGreaterThan(10);
  expect(expected.slice(-12)).toContain(null);
  expect(watch.latest()).toEqual({ untilMs, byCoin: { BTC: expected } });
  await watch.stop();
});

it('reads only what has ended since, a little after its end', async () => {
  await record(40);
  const untilMs = START_MS + 12 * HALF_HOUR_MS;
  const clock = new ManualClock(untilMs + 10_000);
  const watch = watchAt(clock);
  watch.bus.publish(candlesTopic, { isCaughtUp: true });
  await vi.waitUntil(() => watch.latest()?.untilMs === untilMs);
  clock.advance(HALF_HOUR_MS - 10_000);
  expect(watch.latest()?.untilMs).toBe(untilMs);
  clock.advance(10_000);
  const endMs = untilMs + HALF_HOUR_MS;
  await vi.waitUntil(() => watch.latest()?.untilMs === endMs);
  expect(watch.ranges()).toEqual([
    [untilMs - HALF_HOURS * HALF_HOUR_MS, untilMs],
    [untilMs, endMs],
  ]);
  expect(watch.latest()?.byCoin['BTC']).toEqual(closesBy(endMs, trades.slice(0, 40)));
  await watch.stop();
});

it('tries again after a failure', async () => {
  await record(60);
  const untilMs = START_MS + 17 * HALF_HOUR_MS;
  const clock = new ManualClock(untilMs + 10_000);
  const watch = watchAt(clock, 1);
  watch.bus.publish(candlesTopic, { isCaughtUp: true });
  await vi.waitUntil(() => {
    clock.advance(60_000);
    return watch.latest();
  });
  expect(watch.latest()?.byCoin['BTC']).toEqual(closesBy(watch.latest()!.untilMs, trades));
  await watch.stop();
});

it('includes the newest minute, which is not stored until a later trade closes it', async () => {
  await record(3);
  const untilMs = START_MS + HALF_HOUR_MS;
  const watch = watchAt(new ManualClock(untilMs + 10_000));
  watch.bus.publish(candlesTopic, { isCaughtUp: true });
  await vi.waitUntil(watch.latest);
  expect(watch.latest()?.byCoin['BTC']?.at(-1)).toBe(trades[2]?.price);
  await watch.stop();
});

it('leaves out candles of the venue', async () => {
  await record(60, (candle) => ({ ...candle, origin: 'venue' }));
  const watch = watchAt(new ManualClock(START_MS + 17 * HALF_HOUR_MS + 10_000));
  watch.bus.publish(candlesTopic, { isCaughtUp: true });
  await vi.waitUntil(watch.latest);
  expect(watch.latest()?.byCoin['BTC']).toEqual(Array.from({ length: HALF_HOURS }, () => null));
  await watch.stop();
});
