import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Program } from './program.ts';

/**
 * A service on a simulated market of real size, each in a separate process: about 5,300 perpetual contracts, 3,000
 * trades a second in bursts of 10,000, for ten minutes. Part of `npm run test:long`; `npm run bench:memory` measures half
 * an hour.
 */
/** How long it runs once the sources have answered. */
const STEADY_MS = 600_000;
/** Of the service alone: 400 on a quiet machine. Machines that test are busy, and what waits for a busy process takes memory. */
const RSS_MB_MAX = 450;
const READY_MS_MAX = 240_000;

let folder: string;
let simulator: Program;
let service: Program;
let simUrl: string;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-real-size-'));
  simulator = new Program(['sim', '--size', 'real', '--port', '0']);
  simUrl = await simulator.listening();
  const market = ['--upstream', 'sim', '--sim-url', simUrl, '--sim-history-days', '0'];
  service = new Program(['--port', '0', '--log', 'error', '--data', folder, ...market]);
  url = await service.listening(120_000);
});

afterAll(async () => {
  for (const program of [service, simulator]) program.kill('SIGTERM');
  await Promise.all([service.exitCode(), simulator.exitCode()]);
  rmSync(folder, { recursive: true });
});

/** Of those that are in use. */
async function sourcesThatAreNotOk(): Promise<readonly string[]> {
  const { data } = (await (await fetch(`${url}/api/v1/sources`)).json()) as {
    readonly data: readonly {
      readonly feeds?: readonly { readonly source: string; readonly status: string }[];
    }[];
  };
  const feeds = data.flatMap((venue) => venue.feeds ?? []);
  expect(feeds.length).toBeGreaterThan(0);
  return feeds
    .filter(({ status }) => status !== 'ok' && status !== 'idle')
    .map(({ source, status }) => `${source} ${status}`);
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

it(
  'receives from its sources, keeps every venue limit, and its memory within bounds at real size',
  async () => {
    const areOk = async (): Promise<boolean> => (await sourcesThatAreNotOk()).length === 0;
    await vi.waitUntil(areOk, { timeout: READY_MS_MAX, interval: 1_000 });
    const readyMs = performance.now();
    const isOver = (): boolean => performance.now() - readyMs >= STEADY_MS;
    await vi.waitUntil(isOver, { timeout: 2 * STEADY_MS, interval: 500 });
    await expect.poll(sourcesThatAreNotOk, { timeout: 60_000, interval: 1_000 }).toEqual([]);
    expect(await metric('process_resident_memory_bytes')).toBeLessThan(RSS_MB_MAX * 2 ** 20);
    const { venues } = (await (await fetch(`${simUrl}/sim`)).json()) as {
      readonly venues: Readonly<Record<string, { readonly violations: object }>>;
    };
    const broken = Object.entries(venues).filter(([, { violations }]) => Object.keys(violations).length > 0);
    expect(broken).toEqual([]);
  },
  READY_MS_MAX + 2 * STEADY_MS + 60_000,
);
