import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Liquidation, ManualClock, notionalUsdOf, type Trade } from '@crosstape/core';
import { expect, it } from 'vitest';
import { OrderSizes } from './order-sizes.ts';
import { recallSizesTask } from './order-sizes-on-tape.ts';
import { startLiquidations } from './liquidations.ts';
import type { JobRunner, Task } from '../../platform/jobs.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { liquidationTopic } from '../../topics.ts';

const START_MS = 1_763_164_800_000;
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** An order that goes through six prices, far larger than any of 12 hours, and two later trades that settle it. */
const sweep: readonly Trade[] = [
  ...Array.from({ length: 6 }, (_, i) => [i, 0] as const),
  [0, 20],
  [0, 40],
].map(([level, second], i): Trade => {
  const [price, size] = [(100 - (level ?? 0)) as number, second === 0 ? 1_000 : 1];
  const ts = START_MS + (second ?? 0) * 1_000;
  const order = { coin: 'BTC', venue: 'hyperliquid', side: 'sell', price, size, ts, tid: i } as const;
  return { ...order, notionalUsd: notionalUsdOf(price, size), sameOrder: i > 0 && second === 0 };
});

it.each([
  { name: 'infers at once with what the tape remembers', isReadable: true, found: 1 },
  { name: 'says nothing while the tape cannot be read', isReadable: false, found: 0 },
])('$name', async ({ isReadable, found }) => {
  const folder = await mkdtemp(join(tmpdir(), 'crosstape-restart-'));
  const store = new LmdbStore(folder);
  const clock = new ManualClock(START_MS);
  const bus = new LocalBus(clock);
  const past = new OrderSizes();
  for (let i = 0; i < 2_000; i += 1) past.add(100 + (i % 50), START_MS - (2_000 - i) * 20_000);
  const asked: unknown[] = [];
  const jobs: JobRunner = {
    run: async <Payload, Result>(task: Task<Payload, Result, never>, payload: Payload) => {
      asked.push([task.name, payload]);
      if (!isReadable) throw new Error('no tape');
      return [['BTC', past.remembered]] as Result;
    },
    stop: async () => {},
  };
  const tape = { folder, jobs };
  const liquidations = await startLiquidations({
    keptFromMs: (keepMs) => clock.now() - keepMs,
    clock,
    bus,
    log,
    store,
    primaryVenue: 'hyperliquid',
    tape,
  });
  const published: Liquidation[] = [];
  bus.subscribe(liquidationTopic, (one) => published.push(one));
  const [first, ...rest] = sweep as [Trade, ...Trade[]];
  liquidations.trade({ ...first, size: 1, notionalUsd: 100, ts: START_MS - 1_000 });
  await new Promise((resolve) => setImmediate(resolve));
  for (const trade of [first, ...rest]) liquidations.trade(trade);
  expect(published).toHaveLength(found);
  expect(asked).toEqual([
    [recallSizesTask.name, { folder, sinceMs: START_MS - 1_000 - 12 * 3_600_000, untilMs: START_MS - 1_000 }],
  ]);
  await liquidations.stop();
  await store.close();
  await rm(folder, { recursive: true });
});
