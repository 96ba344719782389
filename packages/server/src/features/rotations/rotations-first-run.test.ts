import { ManualClock, type Trade } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { TestTape } from '../../api/testing/test-tape.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { marketSeedingTopic, type RecordedMarket, seedingTopic, snapshotTopic } from '../../topics.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import type { RotationJob } from './rotation-job.ts';
import type { RotationRequest } from './rotation-spec.ts';
import type { Rotations, Submission } from './rotations.ts';
import { HeldJobs } from './testing/held-jobs.ts';

const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const request: RotationRequest = { coin: 'BTC', kind: 'range', params: { rangeTicks: 20 } };

let clock: ManualClock;
let bus: LocalBus;
let jobs: HeldJobs;
let tape: TestTape;
let rotations: Rotations;
const errors: object[] = [];

beforeEach(async () => {
  clock = new ManualClock(NOW_MS);
  bus = new LocalBus(clock);
  jobs = new HeldJobs();
  errors.length = 0;
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => void errors.push(fields) };
  tape = await TestTape.open({ clock, bus, log, jobs });
  jobs.table = tape.ticks;
  rotations = tape.rotations;
  const rows = ['BTC', 'ETH'].map((coin) => ({ coin, symbol: coin, sizeDecimals: 2 }));
  bus.publish(snapshotTopic('hyperliquid', 'instruments'), {
    venue: 'hyperliquid',
    rows,
    fetchedAtMs: NOW_MS,
    everyMs: 1_000,
  });
  await tape.connected(NOW_MS - 2 * HOUR_MS, NOW_MS);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await tape.close();
});

async function record(): Promise<readonly Trade[]> {
  const all = sampleTrades(NOW_MS - HOUR_MS, 7_000);
  await tape.record(all.slice(0, 3_000), 'sealed');
  await tape.record(all.slice(3_000, 6_000), 'sealed');
  await tape.record(all.slice(6_000, 6_900), 'tail');
  await tape.record(all.slice(6_900), 'memory');
  return all;
}

async function ended({ jobId }: Submission): Promise<RotationJob> {
  return vi.waitFor(async () => {
    const job = await rotations.job(jobId);
    expect(['done', 'error']).toContain(job?.status);
    return job as RotationJob;
  });
}

describe('while the first-run history is being created', () => {
  const recorded = (agoMs: number) => ({ fromMs: NOW_MS - agoMs, toMs: NOW_MS });

  it('a build waits for the part that it is made from, and is not degraded', async () => {
    bus.publish(seedingTopic, { isDone: false, progress: 0 });
    const submission = await rotations.submit({ ...request, days: 1 / 24, tick: 1 }, 'me');
    expect(submission).toMatchObject({ cached: false, degraded: false });
    bus.publish(seedingTopic, { isDone: false, progress: 0.2, tape: recorded(HOUR_MS / 2) });
    expect(await rotations.job(submission.jobId)).toMatchObject({ status: 'queued' });
    const all = await record();
    bus.publish(seedingTopic, { isDone: false, progress: 0.4, tape: recorded(HOUR_MS) });
    const job = await ended(submission);
    expect(job.stats).toMatchObject({ degraded: false, trades: all.length, gaps: [] });
  });

  it('one from the newest trades does not wait', async () => {
    bus.publish(seedingTopic, { isDone: false, progress: 0 });
    await tape.record(sampleTrades(NOW_MS - HOUR_MS, 100), 'memory');
    const submission = await rotations.submit({ ...request, degraded: true }, 'me');
    expect((await ended(submission)).stats).toMatchObject({ degraded: true, trades: 100 });
  });

  it('one that waits ends with the service', async () => {
    bus.publish(seedingTopic, { isDone: false, progress: 0 });
    const { jobId } = await rotations.submit({ ...request, tick: 1 }, 'me');
    await rotations.stop();
    expect(await rotations.job(jobId)).toMatchObject({
      status: 'error',
      error: 'The service is stopping; submit it again later.',
    });
    expect(errors).toEqual([]);
  });

  it('one of a market whose history is being created is not used again', async () => {
    const symbol = 'BTC-USDT-SWAP';
    const market: RecordedMarket = {
      id: `okx:${symbol}`,
      venue: 'okx',
      kind: 'perp',
      symbol,
      coin: 'BTC',
      quote: 'USDT',
      contractSize: 0.01,
      scale: 1,
      publisher: 'okx',
      isCounted: true,
    };
    const ticks = new TickTable(tape.store, 'okx');
    const ledger = new GapLedger(tape.store, 'okx');
    jobs.table = ticks;
    const seed = async (fromMs: number): Promise<void> => {
      const trades = new TickBuffer();
      for (const trade of sampleTrades(fromMs, 600)) trades.add({ ...trade, coin: symbol, venue: 'okx' });
      await ticks.commit(ticks.sealing(symbol, trades, 600, []));
      await tape.store.commit([ledger.extending({ from: fromMs, to: fromMs + HOUR_MS })]);
    };
    const submit = () => rotations.submit({ ...request, market, days: 2 / 24, tick: 1 }, 'me');

    bus.publish(marketSeedingTopic, { isDone: false, markets: [market.id] });
    await seed(NOW_MS - HOUR_MS);
    const early = await submit();
    expect((await ended(early)).stats).toMatchObject({ trades: 600, degraded: false });
    await seed(NOW_MS - 2 * HOUR_MS);
    bus.publish(marketSeedingTopic, { isDone: true, markets: [] });
    clock.advance(1);
    const whole = await submit();
    expect(whole.cached).toBe(false);
    expect((await ended(whole)).stats?.trades).toBeGreaterThan(1_100);
    expect(await submit()).toEqual({ ...whole, cached: true });
  });
});

it('a degraded build is shared while it runs, and not used again', async () => {
  await tape.record(sampleTrades(NOW_MS - 2 * HOUR_MS, 3_000), 'memory');
  const recent = { ...request, days: 0.01 };
  jobs.isHolding = true;
  const first = await rotations.submit(recent, 'me');
  expect(await rotations.submit(recent, 'you')).toEqual({ ...first, cached: true, degraded: true });
  jobs.release();
  await ended(first);
  await record();
  clock.advance(1);
  const second = await rotations.submit(recent, 'me');
  expect(second).toMatchObject({ cached: false, degraded: false });
  expect((await ended(second)).trades).toBeGreaterThan(1_000);
});
