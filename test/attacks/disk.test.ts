import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Simulator } from '@crosstape/simulator';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LmdbStore } from '../../packages/server/src/store/lmdb-store.ts';
import { TickTable, tickTables } from '../../packages/server/src/features/tape/tick-table.ts';
import { startPrimaryMarket } from '../primary-market.ts';
import { Program } from '../program.ts';
import { SmallDisk } from './small-disk.ts';

const MIB = 2 ** 20;
const wait = { timeout: 240_000, interval: 100 };
/** Results may take a tenth of the disk: packages/server/src/store/file-blobs.test.ts reaches that bound without a service. */
const RESULT_SHARE = 0.1;
/** A day of trades makes results of real size and takes a minute to create; room is given up in the same order without. */
const market =
  process.env.LONG === '1'
    ? { historyDays: 1, resultBytesMin: 100_000 }
    : { historyDays: 0, resultBytesMin: 100 };

let disk: SmallDisk;

afterEach(() => disk.unmount());

describe.runIf(SmallDisk.isPossible)('the tape on a disk that another program fills', () => {
  let store: LmdbStore;
  let ticks: TickTable;

  beforeEach(() => {
    disk = new SmallDisk(128);
    store = new LmdbStore(disk.folder);
    ticks = new TickTable(store);
  });

  afterEach(() => store.close());

  /** A row as large as the largest chunks. Its content does not matter to pruning. */
  const seal = (i: number): Promise<void> => {
    const chunks = store.table(tickTables.chunks, 'binary');
    const key = ['hyperliquid:BTC', i * 1_000, i * 1_000 + 999, 1_000];
    return store.commit([chunks.puts([{ key, value: new Uint8Array(200_000).fill(i) }])]);
  };
  const chunks = () => ticks.names('BTC', 0, Number.MAX_SAFE_INTEGER, 1_000);
  const fileBytes = (): number => statSync(join(disk.folder, 'data.mdb')).size;

  it('is pruned when no byte is free, and recorded in the pages that pruning freed', async () => {
    for (let i = 0; i < 200; i += 1) await seal(i);
    disk.fill(0);
    await expect(seal(200)).rejects.toThrow(/no space left/i);
    await ticks.prune(199_000);
    expect(await chunks()).toHaveLength(1);
    // Other programs leave a little, far less than the 32 MiB that a file that must grow needs.
    disk.empty();
    disk.fill(5 * MIB);
    const before = fileBytes();
    await vi.waitFor(() => seal(201), wait);
    for (let i = 202; i < 220; i += 1) await seal(i);
    expect(await chunks()).toHaveLength(20);
    expect(fileBytes() - before).toBeLessThan(MIB);
  });
});

describe.runIf(SmallDisk.isPossible)('builds on a small disk', () => {
  let simulator: Simulator;
  let program: Program;
  let url: string;

  const get = async <Body>(path: string): Promise<Body> => (await fetch(`${url}${path}`)).json() as Body;
  const recording = async (): Promise<string> =>
    (await get<{ recording: { status: string } }>('/healthz')).recording.status;

  beforeEach(async () => {
    disk = new SmallDisk(80);
    simulator = await startPrimaryMarket();
    const flags = `--port 0 --upstream sim --sim-url ${simulator.url} --sim-history-days ${market.historyDays} --sim-market-history-hours 0 --record-coins BTC --log error --data`;
    program = new Program([...flags.split(' '), disk.folder]);
    url = await program.listening(240_000);
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, wait);
    // Seeded when the tape has what it is given at the start.
    await vi.waitUntil(async () => {
      const { data } = await get<{ data: { state: string }[] }>('/api/v1/coverage?coin=BTC');
      return data.some(({ state }) => state === 'complete');
    }, wait);
  });

  afterEach(async () => {
    program.kill('SIGKILL');
    await program.exitCode();
    await simulator.close();
  });

  /** Almost a bar for every trade: the largest results there are. */
  async function build(i: number): Promise<string> {
    const body = JSON.stringify({ coin: 'BTC', kind: 'tick', params: { trades: i }, days: 1 });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/api/v1/perps/rotations/build`, { method: 'POST', headers, body });
    const { data } = (await response.json()) as { data: { jobId: string; cacheKey: string } };
    await vi.waitUntil(async () => {
      const path = `/api/v1/perps/rotations/job?id=${data.jobId}`;
      return (await get<{ data: { status: string } }>(path)).data.status === 'done';
    }, wait);
    return data.cacheKey;
  }

  const results = (): readonly string[] => readdirSync(join(disk.folder, 'sim/1/results'));
  const resultBytes = (): number =>
    results().reduce((sum, file) => sum + statSync(join(disk.folder, 'sim/1/results', file)).size, 0);

  it('neither stop the recorder nor keep their room when the tape needs it', async () => {
    // Too small a disk for any: they are served from memory.
    for (const i of [1, 2, 3, 4, 5]) {
      const response = await fetch(`${url}/api/v1/perps/rotations/result?key=${await build(i)}`);
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(market.resultBytesMin);
    }
    expect(results()).toEqual([]);
    expect(await recording()).toBe('ok');

    disk.resize(256);
    for (const i of [6, 7, 8, 9, 10]) await build(i);
    expect(results()).toHaveLength(5);
    expect(resultBytes()).toBeLessThanOrEqual(256 * MIB * RESULT_SHARE);

    // Another program takes the disk: results go first …
    disk.fill(40 * MIB);
    await vi.waitUntil(() => results().length === 0, wait);
    expect(await recording()).toBe('ok');

    // … the tape last, and it resumes by itself.
    disk.fill(0);
    await vi.waitUntil(async () => (await recording()) === 'failing', wait);
    expect((await fetch(`${url}/api/v1/perps/oi?coins=BTC`)).status).toBe(200);
    disk.empty();
    await vi.waitUntil(async () => (await recording()) === 'ok', wait);
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, wait);
  });
});
