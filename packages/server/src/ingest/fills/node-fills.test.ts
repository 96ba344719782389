import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FeedEvent } from '../feed-sink.ts';
import { NodeFills } from './node-fills.ts';

/** Ten seconds before a full hour. */
const NOW = Date.UTC(2026, 10, 15, 12) - 10_000;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let folder: string;
let clock: ManualClock;
let fills: NodeFills;
const received: FeedEvent[] = [];
const past: number[] = [];
const caughtUp: unknown[] = [];
const warnings: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-fills-'));
  clock = new ManualClock(NOW);
  for (const list of [received, past, caughtUp, warnings]) list.length = 0;
  fills = new NodeFills({
    venue: 'hyperliquid',
    folder,
    clock,
    log: { ...silent, warn: (_, message) => warnings.push(message) },
    liquidations: (event) => received.push(event),
  });
});
afterEach(async () => {
  await fills.stop();
  await rm(folder, { recursive: true });
});

function start(sinceMs?: number): Promise<void> {
  return fills.start(sinceMs, {
    past: async (trades) => void past.push(...trades.map(({ tid }) => tid)),
    caughtUp: (toMs, missing) => caughtUp.push({ toMs, missing }),
    receive: (event) => received.push(event),
  });
}

/** One block with one trade; `tid` is its time, in ms after `NOW`. */
function line(tid: number, extra: Record<string, unknown> = {}): string {
  const time = NOW + tid;
  const fill = { coin: 'BTC', px: '100.0', sz: '1.0', side: 'B', time, crossed: true, oid: 1, tid: time };
  const blockTime = `${new Date(time).toISOString().slice(0, -1)}000000`;
  return `${JSON.stringify({ block_time: blockTime, events: [['0xab', { ...fill, ...extra }]] })}\n`;
}

async function fileOf(atMs: number): Promise<string> {
  const [day = '', time = ''] = new Date(atMs).toISOString().split('T');
  const place = join(folder, 'hourly', day.replaceAll('-', ''));
  await mkdir(place, { recursive: true });
  return join(place, String(Number(time.slice(0, 2))));
}

/** In ms after `NOW`. */
const tids = (): readonly number[] =>
  received.flatMap((event) =>
    event.type === 'frame' && event.frame.kind === 'trades'
      ? event.frame.trades.map(({ tid }) => tid - NOW)
      : [],
  );
const changes = (): readonly string[] =>
  received.flatMap((event) => (event.type === 'socket' ? event.kind : []));

async function until(condition: () => boolean): Promise<void> {
  await vi.waitUntil(condition, { timeout: 10_000, interval: 5 });
}

/** A poll after this time. */
async function untilAt(afterMs: number, condition: () => boolean): Promise<void> {
  clock.advance(NOW + afterMs - clock.now());
  await until(condition);
}

it('follows a file that appears late, a line that is written in two parts, and the next hour', async () => {
  await start();
  expect(received).toEqual([]);
  const file = await fileOf(NOW);
  await writeFile(file, line(-60_000) + line(0) + line(500).slice(0, 40));
  // Trades older than the sockets' that the tape remembers are left out.
  await untilAt(1_000, () => tids().length === 1);
  await appendFile(file, line(500).slice(40) + line(900));
  await untilAt(2_000, () => tids().length === 3);
  const next = await fileOf(NOW + 10_000);
  await appendFile(file, line(9_990));
  await writeFile(next, line(10_001));
  await untilAt(11_000, () => tids().length === 5);
  expect(tids()).toEqual([0, 500, 900, 9_990, 10_001]);
  expect(changes()).toEqual(['up']);
  await appendFile(next, line(11_000));
  // Without a poll: the system reports the change.
  await until(() => tids().includes(11_000));
});

it('reads a file again that was begun again, without repeating it', async () => {
  const file = await fileOf(NOW);
  await writeFile(file, line(-2) + line(-1));
  await start();
  await until(() => tids().length === 2);
  await writeFile(file, line(-2));
  clock.advance(1_000);
  await appendFile(file, line(-1) + line(1));
  await untilAt(2_000, () => tids().includes(1));
  // The newest block may repeat; the tape recognises its trades.
  expect(tids().filter((tid) => tid === -2)).toHaveLength(1);
});

it('is down while the node is behind, and reports a line that was cut off', async () => {
  const file = await fileOf(NOW);
  await writeFile(file, line(0));
  await start();
  await until(() => tids().length === 1);
  await untilAt(46_000, () => changes().length === 2);
  expect(received.findLast(({ type }) => type === 'socket')).toMatchObject({ kind: 'down', lastDataMs: NOW });
  expect(fills.isMeasured(NOW - 1)).toBe(false);
  await appendFile(file, line(500).slice(0, 30));
  await writeFile(await fileOf(NOW + 10_000), line(20_000));
  await untilAt(70_000, () => received.some(({ type }) => type === 'refused'));
  await appendFile(await fileOf(NOW + 10_000), line(40_000));
  await untilAt(71_000, () => changes().length === 3);
  expect(tids()).toEqual([0, 40_000]);
});

it('catches up with what was written since the record ended, and names what is missing', async () => {
  const sinceMs = NOW - HOUR_MS;
  const before = await fileOf(sinceMs);
  await writeFile(before, line(-HOUR_MS - 5) + line(-HOUR_MS + 5) + line(-HOUR_MS + 30_000));
  await writeFile(await fileOf(NOW), line(-30_000) + line(-100));
  await start(sinceMs);
  expect(past.map((tid) => tid - NOW)).toEqual([-HOUR_MS + 5, -HOUR_MS + 30_000, -30_000, -100]);
  const gap = { from: NOW - HOUR_MS + 30_000, to: NOW - 30_000 };
  expect(caughtUp).toEqual([{ toMs: NOW - 100, missing: [gap] }]);
  // It follows without a gap, and vouches for the liquidations of the time that it read.
  expect(received).toMatchObject([
    { type: 'bridged', fromMs: sinceMs, toMs: gap.from },
    { type: 'bridged', fromMs: gap.to, toMs: NOW - 100 },
    { type: 'socket', kind: 'up', atMs: NOW - 100 },
    { type: 'feed', feed: 'liquidations', kind: 'up' },
  ]);
  await appendFile(await fileOf(NOW), line(10));
  await untilAt(1_000, () => tids().includes(10));
});

it('leaves liquidations to be inferred while its files cannot be read, and logs that once', async () => {
  const file = await fileOf(NOW);
  await mkdir(file);
  let failures = 0;
  const turn = (status: string): unknown => status === 'down' && (failures += 1);
  fills.reportTo({ turn, countGood: () => undefined } as never);
  await start(NOW - 1_000);
  expect(fills.isMeasured(NOW + 1)).toBe(false);
  for (let polls = 1; polls <= 3; polls += 1) {
    const before = failures;
    await untilAt(polls * 1_000, () => failures > before);
  }
  expect(warnings).toHaveLength(1);
  await rm(file, { recursive: true });
  await writeFile(file, line(3_500));
  await untilAt(4_000, () => fills.isMeasured(NOW + 3_500));
});

it('sends marked orders as liquidations', async () => {
  const liquidation = { liquidatedUser: '0xAB', markPx: '100.0', method: 'market' };
  await writeFile(await fileOf(NOW), line(0) + line(5, { liquidation }));
  await start();
  const frames = (): readonly unknown[] =>
    received.flatMap((event) =>
      event.type === 'frame' && event.frame.kind === 'liquidations' ? event.frame.liquidations : [],
    );
  await until(() => frames().length > 0);
  expect(frames()).toMatchObject([{ coin: 'BTC', side: 'buy', size: 1, price: 100, venueTs: NOW + 5 }]);
  expect([NOW - 1, NOW].map((ts) => fills.isMeasured(ts))).toEqual([false, true]);
});
