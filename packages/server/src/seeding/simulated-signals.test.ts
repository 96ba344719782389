import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, type EtfFlows, HOUR_MS, ManualClock } from '@crosstape/core';
import { createMarket, FlowView, startSimulator } from '@crosstape/simulator';
import { onchainPublishers, type Resource } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { userAgent } from '../platform/product.ts';
import { etfDaily } from '../features/flows/etf-proxy.ts';
import { NOW_MS, sampleInputs, snapshot } from '../features/flows/figures.fixture.ts';
import { flowFigures } from '../features/flows/flow-figures.ts';
import { signalRules } from '../features/flows/signal-rules.ts';
import { SignalWatch } from '../features/flows/signal-watch.ts';
import { FlowTable } from '../features/flows/flow-table.ts';
import { LmdbStore } from '../store/lmdb-store.ts';
import { seedFlows } from './seed-flows.ts';
import { seedTicks } from './seed-ticks.ts';

const isLong = process.env['LONG'] === '1';
const FROM_MS = Date.UTC(2026, 10, 12, 4);
/** What is usual is learned first. */
const LEARN_MS = isLong ? DAY_MS : 6 * HOUR_MS;
const LOOK_MS = isLong ? DAY_MS : 3 * HOUR_MS;
const STEP_MS = HOUR_MS / 4;
const coins = ['BTC', 'ETH', 'SOL'];

it.each(isLong ? [1, 7, 2026] : [1])(
  'shows every signal except that of daily figures within an hour of seed %i',
  { timeout: 600_000 },
  async (seed) => {
    const folder = await mkdtemp(join(tmpdir(), 'crosstape-signals-'));
    const toMs = FROM_MS + LEARN_MS + LOOK_MS;
    const order = { folder, seed, rate: 1, venue: 'hyperliquid', fromMs: FROM_MS, toMs };
    await seedTicks({ ...order, coins, rest: 'tail' });
    for (const coin of coins) await seedFlows({ ...order, coin });
    const store = new LmdbStore(folder);
    const seen: { t: number; slug: string }[] = [];
    for (const coin of coins)
      for await (const page of new FlowTable(store).pages(coin, FROM_MS + LEARN_MS))
        for (const { t, signals = [] } of page) seen.push(...signals.map(({ slug }) => ({ t, slug })));
    await store.close();
    await rm(folder, { recursive: true });
    const hourly = signalRules.map(({ slug }) => slug).filter((slug) => slug !== 'etf-flow');
    for (let at = FROM_MS + LEARN_MS; at + HOUR_MS <= toMs; at += STEP_MS) {
      const slugs = new Set(seen.filter(({ t }) => t >= at && t < at + HOUR_MS).map(({ slug }) => slug));
      expect([new Date(at).toISOString(), ...hourly.filter((slug) => !slugs.has(slug))]).toHaveLength(1);
    }
  },
);

it.each(isLong ? [1, 7, 2026] : [1])('shows that of daily figures within two weeks of seed %i', (seed) => {
  const view = new FlowView(createMarket({ seed }), 'BTC');
  const warm = signalRules.find(({ slug }) => slug === 'etf-flow')?.warm ?? Infinity;
  const days = Array.from({ length: 14 }, (_, i) => FROM_MS + i * DAY_MS);
  const sizes = days.flatMap((atMs) =>
    (['bitcoin', 'ethereum'] as const).map((asset) => {
      const rows: EtfFlows[] = [view.etfFlows(asset, atMs)];
      return Math.abs(
        etfDaily({ venue: 'farside', rows, fetchedAtMs: atMs, everyMs: HOUR_MS })?.deviations ?? 0,
      );
    }),
  );
  expect(Math.max(...sizes)).toBeGreaterThan(warm);
});

it('shows that of daily figures at once when the last day is set to surge', async () => {
  const simulator = await startSimulator({
    port: 0,
    seed: 1,
    clock: new ManualClock(NOW_MS),
    sources: ['farside'],
  });
  const resources = onchainPublishers.find(({ id }) => id === 'farside')?.connector?.resources ?? [];
  const { request, parse } = resources.find(({ gives }) => gives.includes('bitcoinEtfFlows')) as Resource;
  const watch = new SignalWatch('BTC');
  const seen = async (): Promise<readonly string[]> => {
    const { path, headers = {} } = request;
    const agent = { 'user-agent': userAgent };
    const page = await (
      await fetch(`${simulator.url}/farside${path}`, { headers: { ...agent, ...headers } })
    ).text();
    const { bitcoinEtfFlows = [] } = parse(page, NOW_MS, {});
    const etf = { flows: snapshot('farside', bitcoinEtfFlows), isOk: true };
    return watch.update(flowFigures(sampleInputs({ etf }))).map(({ id }) => id.split(':')[1] ?? '');
  };
  expect(await seen()).not.toContain('etf-flow');
  const surge = JSON.stringify({ venue: 'farside', fault: 'surge', times: 20 });
  const { status } = await fetch(`${simulator.url}/sim/faults`, { method: 'POST', body: surge });
  expect([status, await seen()]).toEqual([201, expect.arrayContaining(['etf-flow'])]);
  await simulator.close();
});
