import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@crosstape/core';
import { createMarket } from '@crosstape/simulator';
import { expect, it } from 'vitest';
import { HistoryTable } from '../features/perps/history-table.ts';
import { LmdbStore } from '../store/lmdb-store.ts';
import { seedHistories } from './seed-histories.ts';

const FROM_MS = Date.UTC(2026, 10, 14) + 1;

it('records every ten minutes what the market said then', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crosstape-seed-'));
  const range = { fromMs: FROM_MS, toMs: FROM_MS + HOUR_MS };
  await seedHistories({ folder, seed: 5, rate: 1, venue: 'hyperliquid', coins: ['BTC', 'ETH'], ...range });
  const store = new LmdbStore(folder);
  const table = new HistoryTable(store);
  const samples = await table.samples('BTC', 0);
  expect(await table.samples('ETH', 0)).toHaveLength(samples.length);
  expect(await table.samples('SOL', 0)).toEqual([]);
  const market = createMarket({ seed: 5 });
  expect(samples.map(({ t }) => t - FROM_MS + 1)).toEqual([10, 20, 30, 40, 50, 60].map((m) => m * 60_000));
  for (const { t, openInterest, funding } of samples) {
    expect(openInterest).toBeCloseTo(market.openInterest('BTC', t), 4);
    expect(funding['hyperliquid']?.rate).toBeCloseTo(market.funding('BTC', t - 1).rate, 9);
  }
  const full = samples.at(-1);
  expect(full?.funding['hyperliquid']?.rate).toBeCloseTo(market.fundingPaid('BTC', full?.t ?? 0).rate, 9);
  await store.close();
  await rm(folder, { recursive: true });
});
