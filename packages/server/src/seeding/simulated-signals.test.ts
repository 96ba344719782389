import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EtfFlows } from '@crosstape/core';
import { createMarket, FlowView } from '@crosstape/simulator';
import { expect, it } from 'vitest';
import { etfDaily } from '../analytics/flows/etf-proxy.ts';
import { signalRules } from '../analytics/flows/signal-rules.ts';
import { FlowShelf } from '../store/flow-shelf.ts';
import { LmdbStore } from '../store/lmdb-store.ts';
import { seedFlows } from './seed-flows.ts';
import { seedTicks } from './seed-ticks.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const isLong = process.env['LONG'] === '1';
const FROM_MS = Date.UTC(2026, 10, 12, 4);
/** What is usual is learned first. */
const LEARN_MS = isLong ? DAY_MS : 6 * HOUR_MS;
const LOOK_MS = isLong ? DAY_MS : 3 * HOUR_MS;
const STEP_MS = HOUR_MS / 4;
const coins = ['BTC', 'ETH', 'SOL'];

it('shows every signal but that of daily figures to whoever looks for an hour', {
  timeout: 300_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crosstape-signals-'));
  const toMs = FROM_MS + LEARN_MS + LOOK_MS;
  const order = { folder, seed: 7, rate: 1, venue: 'hyperliquid', fromMs: FROM_MS, toMs };
  await seedTicks({ ...order, coins });
  for (const coin of coins) await seedFlows({ ...order, coin });
  const store = new LmdbStore(folder);
  const seen: { t: number; slug: string }[] = [];
  for (const coin of coins)
    for await (const page of new FlowShelf(store).pages(coin, FROM_MS + LEARN_MS))
      for (const { t, signals = [] } of page) seen.push(...signals.map(({ slug }) => ({ t, slug })));
  await store.close();
  await rm(folder, { recursive: true });
  const hourly = signalRules.map(({ slug }) => slug).filter((slug) => slug !== 'etf-flow');
  for (let at = FROM_MS + LEARN_MS; at + HOUR_MS <= toMs; at += STEP_MS) {
    const slugs = new Set(seen.filter(({ t }) => t >= at && t < at + HOUR_MS).map(({ slug }) => slug));
    expect([new Date(at).toISOString(), ...hourly.filter((slug) => !slugs.has(slug))]).toHaveLength(1);
  }
});

it.each([1, 7, 2026])('shows that of daily figures within two weeks of seed %i', (seed) => {
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
