import { createCoinMatcher, ManualClock, sizeInUnit, type VenueLiquidation } from '@crosstape/core';
import { type Simulator, startSimulator, viewOfVenue } from '@crosstape/simulator';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type LiquidationWatch, watchOurLiquidations } from './our-liquidations.ts';
import { ourTables } from './our-tables.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const MINUTES = 15;
/** A venue may cut off who has said nothing for half a minute. */
const STEP_MS = 20_000;
/** Gate counts whole contracts of about 5 $, of positions of 200 $ and more. */
const SIZE_ERROR_MAX = 0.03;

const feeds = ['binance', 'bybit', 'okx', 'bitget', 'gate', 'dydx', 'kraken'];

let clock: ManualClock;
let simulator: Simulator;
let reportedUntilMs: number;
const watches = new Map<string, LiquidationWatch>();
const answer = new Map<string, readonly VenueLiquidation[]>();

beforeAll(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 77, clock, sources: feeds });
  for (const id of feeds) {
    const known = await ourTables(simulator.url, id, clock.now());
    watches.set(id, await watchOurLiquidations(simulator.url, id, known));
  }
  await pass(async (watch) => watch.settle());
  reportedUntilMs = clock.now();
  for (const [id, { liquidations }] of watches) answer.set(id, [...liquidations]);
  for (const venue of feeds) simulator.faults.add({ venue, part: 'ws', fault: 'retype' });
  const haveAllRefused = (): boolean => [...watches.values()].every(({ refusals }) => refusals.length > 0);
  await pass((watch) => watch.settle().catch(() => undefined), haveAllRefused);
});
afterAll(async () => {
  for (const watch of watches.values()) watch.close();
  await simulator.close();
});

async function pass(
  settle: (watch: LiquidationWatch) => Promise<void>,
  isEnough = () => false,
): Promise<void> {
  for (let passedMs = 0; passedMs < MINUTES * 60_000 && !isEnough(); passedMs += STEP_MS) {
    clock.advance(STEP_MS);
    await Promise.all([...watches.values()].map(settle));
  }
}

// Binance reports at most one per contract and second; here no second has more.
it.each(['binance', 'bitget', 'gate', 'kraken'])(
  'reports on %s every position that the market closed by force: side and coins',
  (id) => {
    const view = viewOfVenue(simulator.market, id);
    const forced = new Map<string, number>();
    for (const coin of view?.coins ?? []) {
      for (const { side, size } of view?.liquidations(coin, T0, reportedUntilMs) ?? [])
        add(forced, `${coin.name} ${side}`, size);
    }
    const { match } = createCoinMatcher(simulator.market.coins.map(({ name }) => name));
    const sums = new Map<string, number>();
    for (const { coin: base, side, size, venueTs } of answer.get(id) ?? []) {
      const { coin, unit } = match(base);
      add(sums, `${coin} ${side}`, sizeInUnit(size, unit));
      expect(venueTs).toBeGreaterThanOrEqual(T0);
      expect(venueTs).toBeLessThanOrEqual(reportedUntilMs);
    }
    expect(forced.size).toBeGreaterThan(3);
    expect(new Set(sums.keys())).toEqual(new Set(forced.keys()));
    for (const [key, size] of forced)
      expect(Math.abs(Number(sums.get(key)) / size - 1), key).toBeLessThan(SIZE_ERROR_MAX);
    expect(simulator.violations[id]).toEqual({});
  },
);

it.each(feeds)('accepts nothing from %s while its fields have wrong types, and reports it', async (id) => {
  const watch = watches.get(id);
  await vi.waitUntil(() => watch?.refusals.length, { timeout: 60_000 });
  expect(answer.get(id)?.length).toBeGreaterThan(0);
  expect(watch?.liquidations.length).toBe(answer.get(id)?.length);
});

function add(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}
