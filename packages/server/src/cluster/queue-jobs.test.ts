import { describe, expect, it, vi } from 'vitest';
import type { JobRunner } from '../platform/jobs.ts';
import { startQueueJobs, startQueueWorker } from './queue-jobs.ts';
import { connectRedis, type RedisLink } from './redis.ts';
import { openTestLink } from './testing/redis-link.ts';
import { hasRedis } from './testing/redis-server.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const task = { name: 'count' };
/** A queue without a worker. */
async function open() {
  const link = await openTestLink();
  const { host, port } = link.options as { host: string; port: number };
  const connectPatiently = (): RedisLink => connectRedis(`redis://${host}:${port}`, { isPatient: true });
  const options = { prefix: '{test}', link, connectPatiently, log };
  return { options, jobs: startQueueJobs(options) };
}

describe.runIf(hasRedis)('a shared queue', () => {
  it('serves callers in turns, and a new one in the round that is being served', async () => {
    const { options, jobs } = await open();
    const begun: string[] = [];
    const results: Promise<unknown>[] = [];
    const add = async (caller: string, name: string): Promise<void> => {
      const waiting = await options.link.zcard('{test}:builds:prioritized');
      results.push(jobs.run(task, { name }, { caller }));
      await vi.waitUntil(async () => (await options.link.zcard('{test}:builds:prioritized')) > waiting, {
        timeout: 30_000,
      });
    };
    for (const name of ['a1', 'a2', 'a3', 'a4']) await add('a', name);
    await add('b', 'b1');
    const here: JobRunner = {
      async run(_, payload) {
        const { name } = payload as unknown as { name: string };
        begun.push(name);
        // Nothing else runs until it is queued.
        if (name === 'a3') await add('c', 'c1');
        return name as never;
      },
      stop: async () => undefined,
    };
    const worker = startQueueWorker({ ...options, jobs: here, jobsMax: 1, complete: (payload) => payload });
    await vi.waitUntil(() => begun.length === 6, { timeout: 30_000 });
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3', 'c1', 'a4']);
    expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
    await worker.stop();
    await jobs.stop();
  });

  it('refuses a job when too many wait', async () => {
    const { options, jobs } = await open();
    for (let i = 0; i < 64; i += 1) void jobs.run(task, {}, { caller: `${i % 8}` }).catch(() => undefined);
    await vi.waitUntil(async () => (await options.link.zcard('{test}:builds:prioritized')) === 64, {
      timeout: 30_000,
    });
    await expect(jobs.run(task, {}, { caller: 'another' })).rejects.toMatchObject({ code: 'overloaded' });
    await jobs.stop();
  });
});
