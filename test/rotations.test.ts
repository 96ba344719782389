import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { decodePack, decodeTicks } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fewCoins } from './world-coins.ts';
import { World } from './world.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const MINUTE_MS = 60_000;

interface Job {
  readonly status: string;
  readonly trades: number;
  readonly error?: string;
  readonly stats: { readonly trades: number; readonly gaps: readonly { reason: string }[] };
}

let world: World;

beforeAll(async () => {
  world = await World.open({ coins: fewCoins, rate: 4, stepMs: 100 });
  await world.until(() => world.isReady(), 10_000);
  // Two minutes end.
  await world.run(2 * MINUTE_MS);
});

afterAll(() => world.close());

async function submit(body: object): Promise<{ jobId: string; cacheKey: string; cached: boolean }> {
  const response = await world.get('/api/v1/perps/rotations/build', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data, error } = (await response.json()) as {
    data: Awaited<ReturnType<typeof submit>>;
    error?: string;
  };
  expect(error).toBeUndefined();
  return data;
}

function jobEnd(jobId: string): Promise<Job> {
  return vi.waitFor(
    async () => {
      const response = await world.get(`/api/v1/perps/rotations/job?id=${jobId}`);
      const { data } = (await response.json()) as { data: Job };
      expect(['done', 'error']).toContain(data.status);
      return data;
    },
    { timeout: 60_000 },
  );
}

const kinds = [
  { kind: 'time', params: {} },
  { kind: 'tick', params: { trades: 50 } },
  { kind: 'volume', params: { volume: 100_000, unit: 'usd' } },
  { kind: 'range', params: { rangeTicks: 10 } },
  { kind: 'delta', params: { delta: 1 } },
  { kind: 'trend_reversal', params: { trendTicks: 10, revTicks: 5 } },
  { kind: 'pnf', params: { boxTicks: 5 } },
];

describe('a simulated market', () => {
  it.each(kinds)('gives $kind bars over HTTP that hold every recorded trade', async ({ kind, params }) => {
    const { jobId, cacheKey } = await submit({ coin: 'BTC', kind, params, days: 7 });
    const job = await jobEnd(jobId);
    expect(job.error).toBeUndefined();
    const response = await world.get(`/api/v1/perps/rotations/result?key=${cacheKey}`);
    const { bars, open, stats } = decodePack(gunzipSync(await response.arrayBuffer()));
    const closed = bars.trades.subarray(0, bars.length).reduce((sum, trades) => sum + trades, 0);
    expect(closed + (open?.trades ?? 0)).toBe(stats.trades);
    expect(stats.trades).toBeGreaterThan(200);
    expect(bars.length).toBeGreaterThan(1);
  });

  it('has every trade of the stream in its history, in both formats', async () => {
    const now = world.clock.now();
    const address = `/api/v1/perps/trades/history?coin=ETH&end=${now}`;
    const packed = (await (await world.get(address)).json()) as { data: { chunks: { data: string }[] } };
    const columns = packed.data.chunks.map(({ data }) =>
      decodeTicks(gunzipSync(Buffer.from(data, 'base64'))),
    );
    const count = columns.reduce((sum, { length }) => sum + length, 0);
    const { body } = await world.json(`/perps/trades/history?coin=ETH&end=${now}&format=json`);
    expect(body.data).toHaveLength(count);
    expect(count).toBeGreaterThan(100);
    expect(body.meta).toMatchObject({ source: 'sim:hyperliquid', nextStart: null });
  });

  it('reports an outage as a gap of the history and of builds', async () => {
    world.simulator.faults.add({ venue: 'hyperliquid', fault: 'refuse' });
    world.simulator.faults.add({ venue: 'hyperliquid', fault: 'cut', part: 'ws' });
    await world.until(async () => !(await world.isReady()), 90_000);
    const fromMs = world.clock.now() - 1_000;
    await world.run(30_000);
    const { body } = await world.json(`/coverage?coin=BTC&from=${fromMs}`);
    expect(body.data.at(-1)).toMatchObject({ state: 'missing', to: world.clock.now() });
    const history = await world.json(`/perps/trades/history?coin=BTC&start=${fromMs}`);
    expect(history.body.meta).toMatchObject({ stale: true, gaps: [{ state: 'missing' }] });
    world.simulator.faults.clear();
    await world.until(() => world.isReady(), 180_000);
    await world.run(MINUTE_MS);
    const { jobId } = await submit({ coin: 'BTC', kind: 'time', days: 1 });
    const { stats } = await jobEnd(jobId);
    expect(stats.gaps.map(({ reason }) => reason)).toContain('no socket to the venue was up');
  });

  it('keeps results over a restart, and forgets no build', async () => {
    const first = await submit({ coin: 'SOL', kind: 'tick', params: { trades: 10 } });
    await jobEnd(first.jobId);
    await world.service.stop();
    await world.startService();
    await world.until(() => world.isReady(), 30_000);
    expect((await world.get(`/api/v1/perps/rotations/result?key=${first.cacheKey}`)).status).toBe(200);
    expect(await jobEnd(first.jobId)).toMatchObject({ status: 'done' });
  });
});

it('serves the same range bars as a client builds from a day of its ticks', async () => {
  const past = await World.open({ coins: ['BTC'], seed: 8, rate: 0.05, historyDays: 1 });
  const oldestMs = past.clock.now() - 86_000_000;
  const address = `/perps/trades/history?coin=BTC&start=${oldestMs - 400_000}&end=${oldestMs}&format=json`;
  await past.until(async () => (await past.json(address)).body.data.length > 0, 600_000);
  const script = 'examples/range-bars-from-ticks.ts';
  const args = [script, past.service.url, 'btc'];
  const { stdout } = await promisify(execFile)('node_modules/.bin/tsx', args, { cwd: root });
  expect(stdout).toMatch(/^\d{4,} trades, \d{2,} bars: identical\n$/);
  await past.close();
});
