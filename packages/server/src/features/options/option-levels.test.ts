import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sampleFigures } from '../../api/testing/sample-options.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import type { Log } from '../../platform/log.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { type Demand, demandTopic } from '../../topics.ts';
import { type OptionFigures, optionFiguresTopic } from './option-figures.ts';
import { levelsOf, OptionLevelsTable, optionLevelsTopic, recordLevels } from './option-levels.ts';

const TEN_MINUTES_MS = 600_000;
const START_MS = 3 * TEN_MINUTES_MS + 1_000;
const silent = (): void => undefined;
const log: Log = { debug: silent, info: silent, warn: silent, error: silent };

let folder: string;
let store: LmdbStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-levels-'));
  store = new LmdbStore(folder);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function figuresAt(fetchedAtMs: number, totalGex: number): OptionFigures {
  const figures = sampleFigures('BTC', 100_000, fetchedAtMs);
  return { ...figures, fetchedAtMs, gex: { ...figures.gex!, fetchedAtMs, totalGex } };
}

it('demands the chains every ten minutes, and records the first figures of each ten minutes', async () => {
  const clock = new ManualClock(START_MS);
  const bus = new LocalBus(clock);
  const demands: Demand[] = [];
  bus.subscribe(demandTopic, (demand) => demands.push(demand));
  const levels = recordLevels({ clock, bus, log, store, keptFromMs: (keepMs) => clock.now() - keepMs });
  const publish = (fetchedAtMs: number, totalGex: number): void =>
    bus.publish(optionFiguresTopic('BTC'), figuresAt(fetchedAtMs, totalGex));

  publish(START_MS, 1);
  publish(START_MS + 60_000, 2);
  clock.advance(TEN_MINUTES_MS - 1_000);
  expect(demands.map(({ table }) => table)).toEqual([
    'indexPrices',
    'btcOptions',
    'ethOptions',
    'usdcOptions',
  ]);
  publish(clock.now() + 5_000, 3);
  await vi.waitFor(() => expect(bus.latest(optionLevelsTopic)?.message.t).toBe(4 * TEN_MINUTES_MS));
  await levels.stop();
  clock.advance(TEN_MINUTES_MS);
  expect(demands).toHaveLength(4);

  const recorded = await new OptionLevelsTable(store).since('BTC', 0);
  expect(recorded.map(({ t, totalGex }) => [t, totalGex])).toEqual([
    [3 * TEN_MINUTES_MS, 1],
    [4 * TEN_MINUTES_MS, 3],
  ]);
});

it('keeps the sample of the running ten minutes over a restart, and takes no chain that was fetched late', async () => {
  const clock = new ManualClock(START_MS);
  for (const [fetchedAtMs, totalGex] of [
    [START_MS, 1],
    [START_MS + 60_000, 2],
    [START_MS + TEN_MINUTES_MS + 480_000, 3],
  ] as const) {
    const bus = new LocalBus(clock);
    const levels = recordLevels({ clock, bus, log, store, keptFromMs: (keepMs) => clock.now() - keepMs });
    bus.publish(optionFiguresTopic('BTC'), figuresAt(fetchedAtMs, totalGex));
    await levels.stop();
  }
  const recorded = await new OptionLevelsTable(store).since('BTC', 0);
  expect(recorded.map(({ t, totalGex }) => [t, totalGex])).toEqual([[3 * TEN_MINUTES_MS, 1]]);
});

it('interpolates the 30-day volatility in total variance', () => {
  const figures = figuresAt(START_MS, 1);
  const [day] = figures.skew.termStructure;
  const term = (...days: readonly (readonly [dteDays: number, atmIv: number])[]): OptionFigures => ({
    ...figures,
    skew: {
      ...figures.skew,
      termStructure: days.map(([dteDays, atmIv]) => ({ ...day!, dteDays, atmIv })),
    },
  });
  expect(levelsOf(term([20, 0.6], [50, 0.6]))?.atmIv30).toBeCloseTo(0.6, 12);
  expect(levelsOf(term([30, 0.5], [50, 0.6]))?.atmIv30).toBeCloseTo(0.5, 12);
  // (0.4² × 10 × ⅔ + 0.7² × 70 × ⅓) / 30
  expect(levelsOf(term([10, 0.4], [70, 0.7]))?.atmIv30).toBeCloseTo(0.6455, 4);
  expect(levelsOf(term([7, 0.6], [14, 0.6]))).not.toHaveProperty('atmIv30');
  expect(levelsOf({ ...figures, gex: undefined } as unknown as OptionFigures)).toBeUndefined();
});
