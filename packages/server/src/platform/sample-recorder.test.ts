import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FlowPoint, ManualClock, MINUTE_MS } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LmdbStore } from '../store/lmdb-store.ts';
import { SampleTable } from '../store/sample-table.ts';
import { flowHistoryTopic } from '../topics.ts';
import { LocalBus } from './local-bus.ts';
import type { Log } from './log.ts';
import { SampleRecorder } from './sample-recorder.ts';

const START_MS = 1_763_164_800_000;

let folder: string;
let store: LmdbStore;
let clock: ManualClock;
let bus: LocalBus;
let errors: object[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-flows-'));
  store = new LmdbStore(folder);
  clock = new ManualClock(START_MS);
  bus = new LocalBus(clock);
  errors = [];
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function open(table = new SampleTable<FlowPoint>(store, 'flows')): SampleRecorder<FlowPoint> {
  const silent = (): void => undefined;
  const log: Log = { debug: silent, info: silent, warn: silent, error: (fields) => errors.push(fields) };
  return new SampleRecorder({
    topic: flowHistoryTopic,
    what: 'flows',
    clock,
    bus,
    table,
    log,
    retentionDays: 1,
    keptFromMs: (keepMs) => clock.now() - keepMs,
  });
}

function point(minute: number, coin = 'BTC'): FlowPoint {
  return {
    coin,
    t: START_MS + minute * MINUTE_MS,
    values: { flowPressureScore: minute },
    origins: {},
    coverage: { globalSpot: 'full', kimchi: 'live', etfProxy: 'live', primaryMicro: 'live' },
    partial: false,
    stale: false,
    sources: [],
    signals: [],
  };
}

async function minutesOf(coin: string, fromMinute = 0): Promise<readonly number[]> {
  const minutes: number[] = [];
  for await (const page of new SampleTable<FlowPoint>(store, 'flows').pages(
    coin,
    START_MS + fromMinute * MINUTE_MS,
  ))
    minutes.push(...page.map(({ t }) => (t - START_MS) / MINUTE_MS));
  return minutes;
}

describe('the record of the flows', () => {
  it('stores every point as soon as it is published, by coin and in order, and reports the newest', async () => {
    const recorder = open();
    for (const minute of [0, 1, 2]) for (const coin of ['BTC', 'ETH']) recorder.add(point(minute, coin));
    await vi.waitFor(() => expect(bus.latest(flowHistoryTopic)?.message.t).toBe(START_MS + 2 * MINUTE_MS));
    expect(await minutesOf('BTC')).toEqual([0, 1, 2]);
    expect(await minutesOf('ETH', 1)).toEqual([1, 2]);
    await recorder.stop();
  });

  it('reads more than one page', async () => {
    const count = 10_080;
    const points = Array.from({ length: count }, (_, minute) => point(minute));
    await new SampleTable<FlowPoint>(store, 'flows').append(points);
    expect((await minutesOf('BTC')).length).toBe(count);
    expect(await minutesOf('BTC', count - 1)).toEqual([count - 1]);
  });

  it('replaces a minute that is published again', async () => {
    const recorder = open();
    recorder.add(point(5));
    recorder.add({ ...point(5), partial: true });
    await recorder.stop();
    const pages: (readonly FlowPoint[])[] = [];
    for await (const page of new SampleTable<FlowPoint>(store, 'flows').pages('BTC', 0)) pages.push(page);
    expect(pages.flat()).toEqual([{ ...point(5), partial: true }]);
  });

  it('removes everything older than the retention', async () => {
    const table = new SampleTable<FlowPoint>(store, 'flows');
    await table.append(Array.from({ length: 9_000 }, (_, minute) => point(minute - 10_000)));
    await table.append([point(0), point(0, 'ETH'), point(-1_441, 'ETH')]);
    const recorder = open();
    clock.advance(10 * MINUTE_MS);
    await recorder.stop();
    expect(await minutesOf('BTC', -20_000)).toEqual([
      -1_430,
      ...Array.from({ length: 429 }, (_, i) => i - 1_429),
      0,
    ]);
    expect(await minutesOf('ETH', -20_000)).toEqual([0]);
  });

  it('waits while the store cannot be written to, says so once, and loses nothing', async () => {
    const table = new SampleTable<FlowPoint>(store, 'flows');
    const recorder = open(table);
    const append = vi.spyOn(table, 'append').mockRejectedValue(new Error('the disk is full'));
    recorder.add(point(0));
    recorder.add(point(1));
    await vi.waitFor(() => expect(append).toHaveBeenCalledTimes(2));
    expect(bus.latest(flowHistoryTopic)).toBeUndefined();
    append.mockRestore();
    recorder.add(point(2));
    await recorder.stop();
    expect(await minutesOf('BTC')).toEqual([0, 1, 2]);
    expect(errors).toHaveLength(1);
    expect(recorder.dropped).toBe(0);
  });
});
