import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FlowPoint } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JobRunner } from '../../platform/jobs.ts';
import { FlowTable } from './flow-table.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { createFlowHistoryReader, printFlowHistory, printFlowHistoryTask } from './print-flow-history.ts';

let folder: string;
let store: LmdbStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-flow-history-'));
  store = new LmdbStore(folder);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const coverage = { globalSpot: 'partial', kimchi: 'none', etfProxy: 'live', primaryMicro: 'live' } as const;
const sources = [{ source: 'upbit:tickers', status: 'down', ageMs: null, error: 'No answer.' }] as const;

function point(t: number, values: FlowPoint['values']): FlowPoint {
  const origins = { spot: 'coinbase+okx', etf: 'farside' };
  return {
    coin: 'BTC',
    t,
    values,
    origins,
    coverage,
    partial: true,
    stale: false,
    sources: [...sources],
    signals: [],
  };
}

it('prints the points of one metric, of those minutes that have it', async () => {
  const table = new FlowTable(store);
  await table.append([
    point(60_000, { proxyPremiumBps: 1.5, etfLatestTotalUsdm: 3 }),
    point(120_000, { etfLatestTotalUsdm: 4 }),
    point(180_000, { proxyPremiumBps: -2 }),
  ]);
  const order = { coin: 'BTC', metric: 'proxyPremiumBps', sinceMs: 0, prefix: 'sim:' } as const;
  const { json, newest } = await printFlowHistory(table, order);
  const printed = { partial: true, stale: false, source: 'sim:coinbase+sim:okx', sources, coverage };
  expect(JSON.parse(new TextDecoder().decode(json))).toEqual([
    { t: 60_000, v: 1.5, ...printed },
    { t: 180_000, v: -2, ...printed },
  ]);
  expect(newest).toEqual({ t: 180_000, names: ['coinbase', 'okx'] });

  const later = await printFlowHistory(table, { ...order, sinceMs: 60_001, metric: 'etfLatestTotalUsdm' });
  expect(JSON.parse(new TextDecoder().decode(later.json))).toMatchObject([{ t: 120_000, v: 4 }]);
  expect(later.newest?.names).toEqual(['farside']);
});

it('prints nothing of a coin that was never recorded', async () => {
  const order = { coin: 'XRP', metric: 'sourcePartial', sinceMs: 0, prefix: '' } as const;
  const { json, newest } = await printFlowHistory(new FlowTable(store), order);
  expect(new TextDecoder().decode(json)).toBe('[]');
  expect(newest).toBeUndefined();
});

it('is printed in the name of its caller, so that callers take turns', async () => {
  const run = vi.fn(async () => ({ json: new Uint8Array() }));
  const jobs = { run, stop: async () => {} } as unknown as JobRunner;
  const order = { coin: 'BTC', metric: 'sourcePartial', sinceMs: 0 } as const;
  await createFlowHistoryReader({ jobs, folder: 'store', prefix: '' }).read(order, 'one address');
  const payload = { ...order, folder: 'store', prefix: '' };
  expect(run).toHaveBeenCalledWith(printFlowHistoryTask, payload, { caller: 'one address' });
});
