import { type ConnectedSpan, DAY_MS, HOUR_MS, type Liquidation, ManualClock } from '@crosstape/core';
import { beforeEach, expect, it, vi } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import type { Log } from '../../platform/log.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { connectedVenuesTopic } from '../../topics.ts';
import { LiquidationHourRecorder } from './hour-recorder.ts';
import type { HourOfLiquidations } from './hour-sums.ts';
import { LiquidationHourTable } from './hour-table.ts';
import { LiquidationTable } from './liquidation-table.ts';

/** Noon. */
const START_MS = Date.UTC(2026, 10, 16, 12);
const silent = (): void => undefined;
let errors: object[];
const log: Log = { debug: silent, info: silent, warn: silent, error: (fields) => errors.push(fields) };

let store: MemoryStore;
let clock: ManualClock;
let bus: LocalBus;
let events: LiquidationTable;
let hours: LiquidationHourTable;
beforeEach(() => {
  errors = [];
  store = new MemoryStore();
  clock = new ManualClock(START_MS);
  bus = new LocalBus(clock);
  events = new LiquidationTable(store);
  hours = new LiquidationHourTable(store);
});

function open(): Promise<LiquidationHourRecorder> {
  return LiquidationHourRecorder.open({
    clock,
    bus,
    log,
    events,
    hours,
    keptFromMs: (keepMs) => clock.now() - keepMs,
  });
}

const one = (ts: number, parts: Partial<Liquidation> = {}): Liquidation => ({
  coin: 'BTC',
  venue: 'bybit',
  side: 'sell',
  price: 100,
  size: ts,
  notionalUsd: 100,
  ts,
  inferred: false,
  ...parts,
});

async function stored(): Promise<ReadonlyMap<number, HourOfLiquidations>> {
  const found = new Map<number, HourOfLiquidations>();
  for await (const rows of hours.between(0, Number.MAX_SAFE_INTEGER))
    for (const { ts, hour } of rows) found.set(ts, hour);
  return found;
}

function connect(spans: readonly ConnectedSpan[], openSinceMs?: number): void {
  bus.publish(connectedVenuesTopic, [
    { venue: 'bybit', past: spans, ...(openSinceMs !== undefined && { openSinceMs }) },
  ]);
}

it('keeps longs and shorts by venue, measured apart from inferred, and by coin', async () => {
  const recorder = await open();
  recorder.add(one(START_MS + 1));
  recorder.add(one(START_MS + 2, { side: 'buy', notionalUsd: 0.1 }));
  recorder.add(one(START_MS + 3, { side: 'buy', notionalUsd: 0.2 }));
  recorder.add(one(START_MS + 4, { venue: 'hyperliquid', coin: 'ETH', inferred: true }));
  recorder.add(one(START_MS + HOUR_MS, { notionalUsd: 7, isUnconverted: true }));
  clock.advance(HOUR_MS + 1);
  await recorder.stop();
  expect([...(await stored())]).toEqual([
    [
      START_MS,
      {
        venues: {
          bybit: { connectedMs: 0, measured: [100, 0.3, 3] },
          hyperliquid: { connectedMs: 0, inferred: [100, 0, 1] },
        },
        coins: { BTC: [100, 0.3], ETH: [100, 0] },
      },
    ],
    [
      START_MS + HOUR_MS,
      {
        venues: { bybit: { connectedMs: 0, measured: [7, 0, 1] } },
        coins: { BTC: [7, 0] },
        unconverted: true,
      },
    ],
  ]);
});

it('writes how long a venue was connected in each hour, also without a liquidation', async () => {
  const minute = 60_000;
  connect(
    [{ venue: 'bybit', from: START_MS - 30 * minute, to: START_MS + 10 * minute }],
    START_MS + 50 * minute,
  );
  const recorder = await open();
  clock.advance(HOUR_MS + 20 * minute);
  await recorder.stop();
  const connectedMinutes = [...(await stored())].map(([ts, { venues }]) => [
    (ts - START_MS) / HOUR_MS,
    (venues['bybit']?.connectedMs ?? 0) / minute,
  ]);
  expect(connectedMinutes).toEqual([
    [-1, 30],
    [0, 20],
    [1, 20],
  ]);
});

it('adds a late liquidation to its hour within the window', async () => {
  const recorder = await open();
  recorder.add(one(START_MS - 23 * HOUR_MS));
  recorder.add(one(START_MS + 3 * HOUR_MS));
  clock.advance(30_000);
  recorder.add(one(START_MS - 23 * HOUR_MS + 1));
  await recorder.stop();
  expect([...(await stored())].map(([ts, { coins }]) => [ts - START_MS, coins['BTC']])).toEqual([
    [-23 * HOUR_MS, [200, 0]],
  ]);
});

/** Received, and written by the recorder of single liquidations. */
async function receive(recorder: LiquidationHourRecorder, liquidation: Liquidation): Promise<void> {
  recorder.add(liquidation);
  await events.append([liquidation], []);
}

it('has the part of the first hour that a venue sends at the first start, and earlier ones', async () => {
  clock.advance(HOUR_MS / 2);
  const partly = START_MS - DAY_MS;
  const recorder = await open();
  await recorder.past;
  await receive(recorder, one(partly + HOUR_MS - 1));
  await receive(recorder, one(partly - 4 * HOUR_MS));
  await receive(recorder, one(partly + HOUR_MS));
  // The single ones are that old, too.
  await receive(recorder, one(START_MS - 31 * DAY_MS));
  clock.advance(60_000);
  await recorder.past;
  const sums = async () => [...(await stored())].map(([ts, { coins }]) => [ts - partly, coins['BTC']?.[0]]);
  const whole = [-4 * HOUR_MS, 0, HOUR_MS].map((ts) => [ts, 100]);
  await vi.waitFor(async () => expect(await sums()).toEqual(whole), { timeout: 5_000 });
  await receive(recorder, one(partly + 1, { coin: 'ETH' }));
  await receive(recorder, one(partly + 2));
  await recorder.stop();
  expect((await stored()).get(partly)?.coins).toEqual({ BTC: [200, 0], ETH: [100, 0] });
});

it('waits for a late liquidation to be on record, and tries again when that cannot be read', async () => {
  const late = one(START_MS - 25 * HOUR_MS);
  const recorder = await open();
  await recorder.past;
  recorder.add(late);
  clock.advance(30_000);
  await events.append([late], []);
  const spans = vi.spyOn(events, 'spans').mockRejectedValueOnce(new Error('the disk is gone'));
  clock.advance(30_000);
  await recorder.past;
  expect([spans.mock.calls.length, (await stored()).size]).toEqual([1, 0]);
  clock.advance(30_000);
  clock.advance(30_000);
  await recorder.past;
  expect([...(await stored()).keys()]).toEqual([START_MS - 25 * HOUR_MS]);
  expect(errors).toEqual([{ err: new Error('the disk is gone') }]);
  await recorder.stop();
});

it('leaves an hour as it is once a part of it is before the window', async () => {
  const ts = START_MS - DAY_MS;
  const whole = {
    venues: { bybit: { connectedMs: HOUR_MS, measured: [300, 0, 3] as const } },
    coins: { BTC: [300, 0] as const },
  };
  await hours.put([{ ts, hour: whole }]);
  clock.advance(HOUR_MS / 2);
  connect([], clock.now() - DAY_MS);
  const recorder = await open();
  await recorder.stop();
  expect((await stored()).get(ts)).toEqual(whole);
});

it('takes none that is hours ahead of the clock', async () => {
  const recorder = await open();
  recorder.add(one(START_MS + 3 * HOUR_MS));
  recorder.add(one(START_MS + HOUR_MS));
  clock.advance(3 * HOUR_MS + 1);
  await recorder.stop();
  expect([...(await stored()).keys()]).toEqual([START_MS + HOUR_MS]);
});

it('adds up what was recorded before at the first start', async () => {
  const spans = [{ venue: 'bybit', from: START_MS - 4 * DAY_MS, to: START_MS - 3 * DAY_MS + HOUR_MS / 4 }];
  const agoMs = [31 * DAY_MS, 3 * DAY_MS, 3 * DAY_MS, 2 * DAY_MS, HOUR_MS, 1];
  await events.append(
    agoMs.map((ago, i) => one(START_MS - ago, { size: i + 1 })),
    spans,
  );
  const recorder = await open();
  await recorder.past;
  await recorder.stop();
  const found = await stored();
  const withSums = [...found].flatMap(([ts, { venues, coins }]) =>
    coins['BTC'] ? [[START_MS - ts, coins['BTC'][0], venues['bybit']?.connectedMs]] : [],
  );
  expect(withSums).toEqual([
    [3 * DAY_MS, 200, HOUR_MS / 4],
    [2 * DAY_MS, 100, 0],
    [HOUR_MS, 200, 0],
  ]);
  // The connected hours without any are recorded, too, and no others.
  expect(found.size).toBe(24 + 3);
});

it('leaves the hours of the window, which are still in memory, to be written', async () => {
  await events.append([one(START_MS - 3 * DAY_MS), one(START_MS - 5 * HOUR_MS), one(START_MS - 1)], []);
  const recorder = await open();
  await recorder.past;
  expect([...(await stored()).keys()]).toEqual([START_MS - 3 * DAY_MS]);
  await recorder.stop();
});

it('continues after a restart as if there had been none, and adds up what a process that died did not write', async () => {
  const before = await open();
  const early = one(START_MS - 2 * HOUR_MS);
  before.add(early);
  await events.append([early], []);
  await before.stop();
  // Recorded, but the process ended before their hours were written.
  await events.append([one(START_MS - 3 * HOUR_MS), one(START_MS + 5)], []);
  clock.advance(2 * DAY_MS);
  const after = await open();
  await after.past;
  after.add(one(clock.now()));
  await after.stop();
  expect([...(await stored())].map(([ts, { coins }]) => [ts - START_MS, coins['BTC']?.[0]])).toEqual([
    [-3 * HOUR_MS, 100],
    [-2 * HOUR_MS, 100],
    [0, 100],
    [2 * DAY_MS, 100],
  ]);
});

it('writes again what could not be written, and logs that once', async () => {
  const recorder = await open();
  recorder.add(one(START_MS + 1));
  let attempts = 0;
  store.onCommit = () => {
    attempts += 1;
    if (attempts < 3) throw new Error('the disk is full');
  };
  await vi.waitUntil(() => {
    clock.advance(30_000);
    return attempts === 2;
  });
  expect((await stored()).size).toBe(0);
  await recorder.stop();
  expect(errors).toEqual([{ err: new Error('the disk is full') }]);
  expect((await stored()).size).toBe(1);
});

it('has the first and the last hour on record', async () => {
  expect([await hours.oldest(), await hours.newest()]).toEqual([undefined, undefined]);
  const hour = { venues: {}, coins: {} };
  await hours.put([3, 1, 2].map((ago) => ({ ts: START_MS - ago * HOUR_MS, hour })));
  const ends = [START_MS - 3 * HOUR_MS, START_MS - HOUR_MS];
  expect([await hours.oldest(), await hours.newest()]).toEqual(ends);
});

it('drops an hour when the whole of it is 90 days ago', async () => {
  await hours.put([{ ts: START_MS, hour: { venues: {}, coins: {} } }]);
  clock.advance(90 * DAY_MS - HOUR_MS / 2);
  const recorder = await open();
  const sizeAfter = async (ms: number): Promise<number> => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
    return (await stored()).size;
  };
  expect(await sizeAfter(HOUR_MS)).toBe(1);
  expect(await sizeAfter(HOUR_MS)).toBe(0);
  await recorder.stop();
});
