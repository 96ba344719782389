import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, sleep } from '@crosstape/core';
import { createMarket, type Market, type Simulator, startSimulator, systemClock } from '@crosstape/simulator';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Program } from './program.ts';
import { SseTail } from './sse-tail.ts';
import { traded } from './traded.ts';
import { expectWholeMarket, otherMarkets, otherVenues } from './whole-market.ts';

const KILLS = process.env.LONG === '1' ? 50 : 1;
const SEED = 21;
const RATE = 5;
/** The back-fill of a coin that hardly trades reaches back as far as this. */
const BACKFILL_MS = 6 * 3_600_000;
/** A trade is durable this long after it was sent, on a machine that is not too busy to write in time. */
const DURABLE_MS = 1_000;
/** The busiest first. */
const coins = ['BTC', 'ETH', 'kPEPE'];
const WAIT = { timeout: 240_000, interval: 100 };
const CAUGHT_UP = { timeout: 30_000, interval: 1_000 };

let folder: string;
let simulator: Simulator;
let market: Market;
const programs: Program[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  simulator = await startSimulator({
    port: 0,
    seed: SEED,
    rate: RATE,
    clock: systemClock,
    sources: ['hyperliquid', ...otherVenues],
    coins: coins,
  });
  market = createMarket({ seed: SEED, rate: RATE });
});

afterEach(async () => {
  for (const program of programs.splice(0)) program.kill('SIGKILL');
  await simulator.close();
  rmSync(folder, { recursive: true });
});

const startService = (): Program => {
  const flags = `--port 0 --upstream sim --sim-url ${simulator.url} --sim-history-days 0 --log error`;
  const program = new Program([
    ...flags.split(' '),
    '--data',
    folder,
    '--record-markets',
    otherMarkets.join(),
  ]);
  programs.push(program);
  return program;
};

interface Row {
  readonly ts: number;
  readonly tid: number;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly state: string;
}

interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: { readonly nextStart: number | null };
}

async function get(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

async function ready(program: Program): Promise<string> {
  const url = await program.listening();
  const isReady = async (): Promise<boolean> => (await fetch(`${url}/readyz`)).status === 200;
  await vi.waitUntil(isReady, WAIT);
  return url;
}

/** Up to when the service says that it has written what it received. */
async function writtenToMs(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^crosstape_recorder_written_timestamp_seconds (\S+)$/mu.exec(metrics)?.[1]) * 1_000;
}

/** Everything recorded of a coin, paged over HTTP. */
async function recorded(url: string, coin: string, fromMs: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start: number | null = fromMs; start !== null; ) {
    const page = (await get(
      `${url}/api/v1/perps/trades/history?coin=${coin}&format=json&start=${start}`,
    )) as Page<Row>;
    rows.push(...page.data);
    start = page.meta.nextStart;
  }
  return rows;
}

/** Whether a trade was received before a time. */
function isAnyBefore(tail: SseTail, beforeMs: number): boolean {
  return tail.named('trade').some(({ atMs }) => atMs < beforeMs);
}

it(
  `keeps every trade that it says it has through ${KILLS} kills, and none twice`,
  async () => {
    const random = seededRandom(4);
    const beganMs = systemClock.now();
    const seen = new Map(coins.map((coin) => [coin, new Set<number>()]));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const program = startService();
      const tails: [string, SseTail][] = [];
      let durableToMs = 0;
      // The moment of the kill is the point of this test; nothing can be waited for but time. Every third one falls
      // while the service starts and takes up its tail.
      if (kill % 3 === 2) {
        await sleep(systemClock, random() * 2_000);
      } else {
        const url = await ready(program);
        for (const coin of coins)
          tails.push([coin, await SseTail.open(`${url}/api/v1/streams/trades?coin=${coin}`)]);
        const writtenNow = async (): Promise<number> => {
          durableToMs = Math.min(await writtenToMs(url), systemClock.now() - DURABLE_MS);
          return durableToMs;
        };
        const [, busiest] = tails[0] as [string, SseTail];
        await vi.waitUntil(async () => isAnyBefore(busiest, await writtenNow()), WAIT);
        await sleep(systemClock, random() * 1_500);
        await writtenNow();
      }
      program.kill('SIGKILL');
      await program.exitCode();
      for (const [coin, tail] of tails) {
        tail.close();
        for (const { data, atMs } of tail.named('trade'))
          if (atMs < durableToMs) seen.get(coin)?.add(data['tid'] as number);
      }
    }
    // Of coins that hardly trade there may be nothing in such a while.
    expect(seen.get('BTC')?.size).toBeGreaterThan(0);
    const program = startService();
    const url = await ready(program);
    await sleep(systemClock, 7_000);
    for (const coin of coins) {
      const untilMs = systemClock.now() - 2_000;
      const stretches = (
        (await get(`${url}/api/v1/coverage?coin=${coin}&from=${beganMs}&to=${untilMs}`)) as Page<Stretch>
      ).data;
      const rows = await recorded(url, coin, 0);
      const tids = new Set(rows.map(({ tid }) => tid));
      expect(tids.size, `${coin} has doubles`).toBe(rows.length);
      const forgotten = [...(seen.get(coin) ?? [])].filter((tid) => !tids.has(tid));
      expect(forgotten, `${coin} lost trades that were written before a kill`).toEqual([]);
      expect(rows.every((row, i) => i === 0 || row.ts >= (rows[i - 1] as Row).ts)).toBe(true);
      const ofMarket = new Set(
        traded(market, coin, beganMs - BACKFILL_MS, systemClock.now()).map(({ tid }) => tid),
      );
      expect(
        rows.filter(({ tid }) => !ofMarket.has(tid)),
        `${coin} has what was never traded`,
      ).toEqual([]);
      const whole = stretches.filter(({ state }) => state === 'complete' || state === 'refilled');
      expect(whole.length).toBeGreaterThan(0);
      const due = whole.map(({ from, to }) => ({ from, to, trades: traded(market, coin, from, to) }));
      // The market is made in this process: while it computed the truth, it sent nothing.
      await vi.waitFor(async () => {
        const known = new Set((await recorded(url, coin, 0)).map(({ tid }) => tid));
        for (const { from, to, trades } of due) {
          const lost = trades.filter(({ tid }) => !known.has(tid));
          expect(lost, `${coin} from ${from} to ${to}`).toEqual([]);
        }
      }, CAUGHT_UP);
    }
    const places = { url, simulatorUrl: simulator.url };
    for (const id of otherMarkets) await vi.waitFor(() => expectWholeMarket(places, id, beganMs), CAUGHT_UP);
    program.kill('SIGTERM');
    expect(await program.exitCode()).toBe(0);
  },
  KILLS * 60_000 + 300_000,
);
