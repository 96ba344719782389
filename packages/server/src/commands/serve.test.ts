import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectRedis, isConnected } from '../cluster/redis.ts';
import { hasRedis, TestRedis } from '../cluster/testing/redis-server.ts';
import { serve } from './serve.ts';

describe.runIf(hasRedis)('a service that is stopped while it waits in its start', () => {
  let folder: string;
  let redis: TestRedis;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
    redis = await TestRedis.start();
  });
  afterAll(async () => {
    await redis.close();
    rmSync(folder, { recursive: true });
  });

  /** Returns the exit code, after a signal that arrives while it waits. */
  async function stopped(waits: () => Promise<void>): Promise<number> {
    const flags = { role: 'gateway', redis: redis.url, port: '0', data: folder, log: 'silent' };
    return serve.run(
      Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
      {
        environment: {},
        out: () => undefined,
        error: () => undefined,
        stdout: process.stdout as never,
        stderr: process.stderr as never,
        stopSignal: async () => {
          await waits();
          return 'SIGTERM';
        },
      },
    );
  }

  it('ends at once when there is no ingester yet', async () => {
    const link = connectRedis(redis.url);
    await isConnected(link);
    const asked = async (): Promise<boolean> =>
      /cmdstat_get:calls=(\d+)/.test(await link.info('commandstats'));
    const code = await stopped(async () => {
      while (!(await asked()));
    });
    expect(code).toBe(0);
    link.disconnect();
  });

  it('exits at once when no service answers', async () => {
    redis.signal('SIGSTOP');
    expect(await stopped(async () => undefined)).toBe(0);
    redis.signal('SIGCONT');
  });
});
