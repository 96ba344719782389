import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lease } from './lease.ts';
import { connectRedis, disconnect, isConnected, type RedisLink } from './redis.ts';
import { systemClock } from './system-clock.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const until = (holds: () => boolean): Promise<unknown> =>
  vi.waitUntil(holds, { timeout: 60_000, interval: 10 });

/** On a machine that may be busy with other things. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

describe.runIf(hasRedis)('a lease', () => {
  const closers: (() => Promise<void> | void)[] = [];
  let server: TestRedis;
  let said: string[];
  let tokens: number[];
  beforeEach(async () => {
    server = await TestRedis.start();
    closers.push(() => server.close());
    said = [];
    tokens = [];
  });
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  async function connect(): Promise<RedisLink> {
    const link = connectRedis(server.url);
    closers.push(() => disconnect(link));
    await isConnected(link);
    return link;
  }

  function ask(holder: string, link: RedisLink, leaseMs = 3_000): Lease {
    const onGained = (token: number): void => {
      said.push(holder);
      tokens.push(token);
    };
    const onLost = (): void => void said.push(`${holder} lost`);
    const lease = new Lease({ link, prefix: '{lease}', holder, log, onGained, onLost, leaseMs });
    closers.push(() => lease.stop());
    return lease;
  }

  it('is held by one at a time, with a larger token each time, and taken from whoever lets it go', async () => {
    const link = await connect();
    const a = ask('a', link);
    await until(() => said.length === 1);
    ask('b', link);
    await a.stop();
    await until(() => said.length === 2);
    expect(said).toEqual(['a', 'b']);
    expect(tokens[1]).toBeGreaterThan(tokens[0] as number);
    // As if it had been held up for long: somebody else has it by now.
    await link.set('{lease}:holder', 'c');
    await until(() => said.length === 3);
    expect(said[2]).toBe('b lost');
  });

  it('is left to whoever held it when the server was away, though another is sooner back', async () => {
    const [sooner, later] = [await connect(), await connect()];
    ask('a', later, 1_000);
    await until(() => said.length === 1);
    ask('b', sooner, 1_000);
    later.disconnect();
    await server.stop('SIGKILL');
    const goneMs = systemClock.now();
    await until(() => systemClock.now() > goneMs + 1_200);
    await server.start();
    await isConnected(sooner);
    const backMs = systemClock.now();
    await until(() => systemClock.now() > backMs + 600);
    await later.connect();
    await until(() => systemClock.now() > backMs + 2_000);
    expect(said).toEqual(['a']);
  });
});
