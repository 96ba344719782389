import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMarket, type Simulator, startSimulator, systemClock } from '@crosstape/simulator';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isLong } from './long.ts';
import { Program } from './program.ts';
import { fewCoins } from './world-coins.ts';
import { SseTail } from './sse-tail.ts';
import { traded } from './traded.ts';
import { expectWholeMarket, otherMarkets, otherVenues } from './whole-market.ts';

const SEED = 23;
const RATE = 6;
const wait = { timeout: 60_000, interval: 100 };

let folder: string;
let simulator: Simulator;
let programs: Program[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  simulator = await startSimulator({
    port: 0,
    seed: SEED,
    rate: RATE,
    clock: systemClock,
    sources: ['hyperliquid', ...otherVenues],
    coins: fewCoins,
  });
  programs = [];
});

afterEach(async () => {
  for (const program of programs) {
    program.kill('SIGKILL');
    await program.exitCode();
  }
  await simulator.close();
  rmSync(folder, { recursive: true });
});

async function startService(): Promise<{ program: Program; url: string }> {
  const flags = `--port 0 --upstream sim --sim-url ${simulator.url} --sim-history-days 0 --log error`;
  const program = new Program([
    ...flags.split(' '),
    '--data',
    folder,
    '--record-markets',
    otherMarkets.join(),
  ]);
  programs.push(program);
  const url = await program.listening();
  await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, wait);
  return { program, url };
}

/** The operating system refuses a process to make any file longer than this: what a full disk does to it. */
function limitFiles({ pid }: Program, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

interface Envelope<Item> {
  readonly data: readonly Item[];
  readonly meta: { readonly nextStart?: number | null };
}
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly state: string;
}

const get = async (url: string): Promise<unknown> => (await fetch(url)).json();

async function recordingOf(url: string): Promise<{ status: string; unwritten: number; error?: string }> {
  const { recording } = (await get(`${url}/healthz`)) as { recording: { status: string; unwritten: number } };
  return recording;
}

async function coverage(url: string, from: number, to: number): Promise<readonly Stretch[]> {
  return ((await get(`${url}/api/v1/coverage?coin=BTC&from=${from}&to=${to}`)) as Envelope<Stretch>).data;
}

async function recordedTids(url: string, from: number): Promise<ReadonlySet<number>> {
  const tids: number[] = [];
  for (let start: number | null | undefined = from; typeof start === 'number'; ) {
    const path = `${url}/api/v1/perps/trades/history?coin=BTC&format=json&start=${start}`;
    const page = (await get(path)) as Envelope<{ tid: number }>;
    tids.push(...page.data.map(({ tid }) => tid));
    start = page.meta.nextStart;
  }
  expect(new Set(tids).size, 'doubles').toBe(tids.length);
  return new Set(tids);
}

/** What the market says was traded. */
function tradedTids(from: number, to: number): readonly number[] {
  const market = createMarket({ seed: SEED, rate: RATE });
  return traded(market, 'BTC', from, to).map(({ tid }) => tid);
}

// Only Linux can take a limit from a process again, and stands for the others.
describe.runIf(process.platform === 'linux')('a disk that is full', () => {
  it('stops the record, not the service, and leaves no gap when it ends in time', async () => {
    const { program, url } = await startService();
    const tail = await SseTail.open(`${url}/api/v1/streams/trades?coin=BTC`);
    await vi.waitUntil(() => tail.named('trade').length > 0, wait);
    const lastReceivedMs = systemClock.now();

    limitFiles(program, 1);
    await vi.waitUntil(async () => (await recordingOf(url)).status === 'failing', wait);
    expect((await recordingOf(url)).error).toMatch(/file too large/i);
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 503, wait);
    expect(await (await fetch(`${url}/readyz`)).text()).toMatch(/The store is not usable: .*file too large/i);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('crosstape_recorder_failing 1');

    const streamed = tail.named('trade').length;
    await vi.waitUntil(() => tail.named('trade').length > streamed + 100, wait);
    await vi.waitUntil(async () => (await recordingOf(url)).unwritten > 100, wait);
    expect((await fetch(`${url}/api/v1/perps/oi?coins=BTC`)).status).toBe(200);
    expect((await recordedTids(url, lastReceivedMs)).size).toBeGreaterThan(100);

    limitFiles(program, 'unlimited');
    await vi.waitUntil(async () => (await recordingOf(url)).status === 'ok', wait);
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, wait);
    // The last two seconds are not reported yet.
    await vi.waitUntil(() => systemClock.now() > lastReceivedMs + 4_000, wait);
    const untilMs = systemClock.now() - 2_000;
    expect(await coverage(url, lastReceivedMs, untilMs)).toEqual([
      { from: lastReceivedMs, to: untilMs, state: 'complete' },
    ]);
    const recorded = await recordedTids(url, lastReceivedMs);
    expect(tradedTids(lastReceivedMs, untilMs).filter((tid) => !recorded.has(tid))).toEqual([]);
    const places = { url, simulatorUrl: simulator.url };
    for (const id of otherMarkets)
      await vi.waitFor(() => expectWholeMarket(places, id, lastReceivedMs), wait);
    program.kill('SIGTERM');
    expect(await program.exitCode()).toBe(0);
  });

  // Without a service: features/tape/month.test.ts of the server.
  if (isLong) {
    it('is a gap that the next start reports, when the service ends first', async () => {
      const { program, url } = await startService();
      const beganMs = systemClock.now();
      await vi.waitUntil(async () => (await recordedTids(url, beganMs)).size > 100, wait);
      limitFiles(program, 1);
      await vi.waitUntil(async () => (await recordingOf(url)).status === 'failing', wait);
      const failingMs = systemClock.now();
      await vi.waitUntil(async () => (await recordingOf(url)).unwritten > 500, wait);
      const endedMs = systemClock.now();
      program.kill('SIGTERM');
      expect(await program.exitCode()).toBe(0);
      expect(program.error).toContain('trades that could not be written are lost');

      const next = await startService();
      await vi.waitUntil(async () => {
        const { from, to } = { from: endedMs, to: systemClock.now() };
        return (await coverage(next.url, from, to)).at(-1)?.state === 'complete';
      }, wait);
      const untilMs = systemClock.now() - 2_000;
      const stretches = await coverage(next.url, beganMs, untilMs);
      const isWhole = ({ state }: Stretch): boolean => state === 'complete' || state === 'refilled';
      const gaps = stretches.filter((stretch) => !isWhole(stretch));
      expect(gaps[0]?.from).toBeLessThanOrEqual(failingMs);
      expect(gaps.at(-1)?.to).toBeGreaterThanOrEqual(endedMs);
      const recorded = await recordedTids(next.url, beganMs);
      for (const { from, to } of stretches.filter(isWhole)) {
        expect(tradedTids(from, to).filter((tid) => !recorded.has(tid))).toEqual([]);
      }
    });
  }
});
