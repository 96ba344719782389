import { ManualClock } from '@crosstape/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Client } from '../client.ts';
import { type Frame, ScriptedGateway } from '../testing/scripted-gateway.ts';
import type { BuildItem } from './frame-types.ts';

const spec = { coin: 'BTC', kind: 'range', params: { rangeTicks: 20 }, days: 1 } as const;
const stats = { trades: 2, bars: 1, firstTs: 1, lastTs: 2, gaps: [], degraded: false, tick: 1, buildMs: 3 };
const wait = { timeout: 10_000, interval: 2 };

let gateway: ScriptedGateway;
let clock: ManualClock;
afterEach(() => gateway.close());

async function clientOf(answer: (frame: Frame, socket: number) => readonly Frame[]): Promise<Client> {
  clock = new ManualClock(1_790_000_000_000);
  gateway = await ScriptedGateway.open(answer);
  return new Client({ url: gateway.url, clock, random: () => 0, WebSocket });
}

const accepted = ({ id }: Frame) => ({
  type: 'build:accepted',
  id,
  jobId: 'b-1',
  cacheKey: 'k',
  cached: false,
});
const progress = ({ id }: Frame, pct: number) => ({
  type: 'build:progress',
  id,
  pct,
  trades: 1,
  totalTrades: 2,
  bars: 0,
});
const done = ({ id }: Frame) => ({ type: 'build:done', id, resultKey: 'k', stats, cached: false });

/** Everything received until it ends. */
async function all(items: AsyncIterable<BuildItem>, seen: string[] = []): Promise<readonly string[]> {
  for await (const { type } of items) seen.push(type);
  return seen;
}

describe('a build over the socket', () => {
  it('reports progress until it is done, and the socket is closed when nothing else needs it', async () => {
    const client = await clientOf((frame) =>
      frame.op === 'build' ? [accepted(frame), progress(frame, 0.5), done(frame)] : [],
    );
    expect(await all(client.followBuild(spec))).toEqual(['build:accepted', 'build:progress', 'build:done']);
    expect(gateway.asked).toEqual([{ op: 'build', id: 1, ...spec, socket: 0 }]);
    await vi.waitUntil(() => gateway.sockets[0]?.readyState === 3, wait);
    expect(client.isOnline).toBe(false);
  });

  it('is requested again where the connection broke, and continues', async () => {
    const client = await clientOf((frame, socket) => {
      if (frame.op !== 'build') return [];
      return socket === 0 ? [accepted(frame), progress(frame, 0.2)] : [accepted(frame), done(frame)];
    });
    const seen: string[] = [];
    const ended = all(client.followBuild(spec), seen);
    await vi.waitUntil(() => seen.length === 2, wait);
    gateway.sockets[0]?.terminate();
    await vi.waitUntil(() => {
      clock.advance(200);
      return seen.includes('build:done');
    }, wait);
    await ended;
    expect(gateway.asked.map(({ op, socket }) => `${String(op)} ${socket}`)).toEqual(['build 0', 'build 1']);
  });

  it('ends with the reason of a build that failed or was not taken', async () => {
    const failed = { type: 'build:error', code: 'build_failed', message: 'No trade is on record.' };
    const client = await clientOf((frame) => {
      if (frame.op !== 'build') return [];
      return frame.kind === 'range'
        ? [accepted(frame), { ...failed, id: frame.id }]
        : [{ type: 'error', id: frame.id, code: 'rate_limited', message: 'Too often.' }];
    });
    await expect(all(client.followBuild(spec))).rejects.toMatchObject({
      name: 'GatewayError',
      code: 'build_failed',
      message: 'No trade is on record.',
    });
    await expect(all(client.followBuild({ ...spec, kind: 'tick' }))).rejects.toMatchObject({
      code: 'rate_limited',
    });
  });

  it('stops waiting for a caller that gives up', async () => {
    const client = await clientOf((frame) => (frame.op === 'build' ? [accepted(frame)] : []));
    const ending = new AbortController();
    const seen: string[] = [];
    const ended = all(client.followBuild(spec, { signal: ending.signal }), seen);
    await vi.waitUntil(() => seen.length === 1, wait);
    ending.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    await vi.waitUntil(() => gateway.sockets[0]?.readyState === 3, wait);
  });
});
