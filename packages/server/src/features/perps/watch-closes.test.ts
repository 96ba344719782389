import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, notionalUsdOf, type Trade } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JobRunner } from '../../platform/jobs.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { halfHoursTopic } from '../../topics.ts';
import { type ClosesRequest, closesOnTape } from './closes-on-tape.ts';
import { HALF_HOUR_MS, HALF_HOURS, watchCloses } from './watch-closes.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const START_MS = Math.floor(1_763_164_800_000 / HALF_HOUR_MS) * HALF_HOUR_MS;
let folder: string;
let store: LmdbStore;
let table: TickTable;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-closes-'));
  store = new LmdbStore(folder);
  table = new TickTable(store);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** Seven minutes apart, with an hour and a half of silence in the middle. */
const trades = Array.from({ length: 60 }, (_, i): Trade => {
  const price = 100 + i / 4;
  const ts = START_MS + i * 420_000 + (i < 30 ? 0 : 5_400_000);
  const facts = {
    coin: 'BTC',
    venue: 'hyperliquid',
    side: 'buy',
    size: 1,
    tid: i,
    sameOrder: false,
  } as const;
  return { ...facts, price, ts, notionalUsd: notionalUsdOf(price, 1) };
});

async function record(upTo: number): Promise<void> {
  const buffer = new TickBuffer();
  for (const trade of trades.slice(0, upTo)) buffer.add(trade);
  const sealed = Math.min(upTo, 45);
  await table.commit(table.sealing('BTC', buffer, 20, []));
  if (sealed > 20) {
    const rest = new TickBuffer();
    for (const trade of trades.slice(20, sealed)) rest.add(trade);
    await table.commit(table.sealing('BTC', rest, sealed - 20, []));
  }
  if (upTo > sealed) await table.commit(table.appending('BTC', buffer, sealed, upTo, 1));
}

/** The last price in each half hour before a time, looked for trade by trade. */
function closesBy(untilMs: number, received: readonly Trade[]): (number | null)[] {
  return Array.from({ length: HALF_HOURS }, (_, i) => {
    const endMs = untilMs - (HALF_HOURS - 1 - i) * HALF_HOUR_MS;
    return received.findLast(({ ts }) => ts >= endMs - HALF_HOUR_MS && ts < endMs)?.price ?? null;
  });
}

/** Runs the job synchronously after the given number of failures. */
function jobsFailing(times: number): JobRunner & { asked: number[] } {
  const asked: number[] = [];
  let failures = times;
  const run = async (_: unknown, order: unknown): Promise<never> => {
    const { periods } = order as ClosesRequest;
    asked.push(periods);
    if (failures-- > 0) throw new Error('the disk is away');
    return (await closesOnTape(table, order as ClosesRequest)) as never;
  };
  return { asked, run, stop: async () => {} };
}

it('returns the last price of every half hour of a day, and null for those without a trade', async () => {
  await record(60);
  const untilMs = START_MS + 17 * HALF_HOUR_MS;
  const clock = new ManualClock(untilMs + 10_000);
  const bus = new LocalBus(clock);
  const watch = watchCloses({ clock, bus, log: quiet, jobs: jobsFailing(0), folder });
  await vi.waitUntil(() => bus.latest(halfHoursTopic));
  const expected = closesBy(untilMs, trades);
  expect(expected.filter((close) => close !== null).length).toBeGreaterThan(10);
  expect(expected.slice(-12)).toContain(null);
  expect(bus.latest(halfHoursTopic)?.message).toEqual({ untilMs, byCoin: { BTC: expected } });
  await watch.stop();
});

it('reads only what has ended since, a little after its end', async () => {
  await record(40);
  const untilMs = START_MS + 12 * HALF_HOUR_MS;
  const clock = new ManualClock(untilMs + 10_000);
  const bus = new LocalBus(clock);
  const jobs = jobsFailing(0);
  const watch = watchCloses({ clock, bus, log: quiet, jobs, folder });
  await vi.waitUntil(() => bus.latest(halfHoursTopic)?.message.untilMs === untilMs);
  clock.advance(HALF_HOUR_MS - 10_000);
  expect(bus.latest(halfHoursTopic)?.message.untilMs).toBe(untilMs);
  clock.advance(10_000);
  await vi.waitUntil(() => bus.latest(halfHoursTopic)?.message.untilMs === untilMs + HALF_HOUR_MS);
  expect(jobs.asked).toEqual([HALF_HOURS, 1]);
  expect(bus.latest(halfHoursTopic)?.message.byCoin['BTC']).toEqual(
    closesBy(untilMs + HALF_HOUR_MS, trades.slice(0, 40)),
  );
  await watch.stop();
});

it('reads the whole day again after its past was made, and tries again after a failure', async () => {
  const untilMs = START_MS + 17 * HALF_HOUR_MS;
  const clock = new ManualClock(untilMs + 10_000);
  const bus = new LocalBus(clock);
  const jobs = jobsFailing(1);
  const watch = watchCloses({ clock, bus, log: quiet, jobs, folder });
  await vi.waitUntil(() => jobs.asked.length === 1);
  await record(60);
  watch.refresh();
  await vi.waitUntil(() => bus.latest(halfHoursTopic));
  expect(bus.latest(halfHoursTopic)?.message.byCoin['BTC']).toEqual(closesBy(untilMs, trades));
  await watch.stop();

  const others = jobsFailing(1);
  const otherBus = new LocalBus(clock);
  const other = watchCloses({ clock, bus: otherBus, log: quiet, jobs: others, folder });
  await vi.waitUntil(() => {
    clock.advance(60_000);
    return otherBus.latest(halfHoursTopic);
  });
  await other.stop();
});
