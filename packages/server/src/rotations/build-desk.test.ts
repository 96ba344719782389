import { expect, it, onTestFinished, vi } from 'vitest';
import { connectRedis, disconnect, isConnected } from '../platform/redis.ts';
import { hasRedis, TestRedis } from '../platform/testing/redis-server.ts';
import { openSharedDesk } from './build-desk.ts';

it.runIf(hasRedis)(
  'a desk on a full server lets builds end, and its gateway be known to be there',
  async () => {
    const server = await TestRedis.start();
    const link = connectRedis(server.url);
    await isConnected(link);
    const limits = { reuseMs: 60_000, liveMs: 60_000, perCallerMax: 2, liveMax: 8 };
    const desk = openSharedDesk({ link, prefix: '{test}', owner: 'a', ...limits });
    onTestFinished(async () => {
      desk.stop();
      disconnect(link);
      await server.close();
    });
    const claim = { id: 'b-1', specHash: 'x', caller: 'me' };
    expect(await desk.claim(claim)).toEqual({ verdict: 'yours' });
    await link.config('SET', 'maxmemory', '1');
    await link.del('{test}:owner:a');
    await desk.end(claim, true);
    expect(await link.exists('{test}:live', '{test}:spec:x')).toBe(0);
    await vi.waitUntil(() => desk.isAlive('a'), { timeout: 15_000 });
  },
  60_000,
);
