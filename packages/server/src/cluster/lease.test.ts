import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lease } from './lease.ts';
import { connectRedis, disconnect, isConnected, type RedisLink } from './redis.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';

const until = (holds: () => boolean | Promise<boolean>): Promise<unknown> =>
  vi.waitUntil(holds, { timeout: 60_000, interval: 10 });

describe.runIf(hasRedis)('a lease', () => {
  const closers: (() => Promise<void> | void)[] = [];
  let server: TestRedis;
  let events: string[];
  let tokens: number[];
  /** Holders whose attempts failed. */
  let problems: Set<string>;
  beforeEach(async () => {
    server = await TestRedis.start();
    closers.push(() => server.close());
    events = [];
    tokens = [];
    problems = new Set();
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
      events.push(holder);
      tokens.push(token);
    };
    const debug = (): void => void problems.add(holder);
    const log = { debug, info: () => {}, warn: () => {}, error: () => {} };
    const onLost = (): void => void events.push(`${holder} lost`);
    const lease = new Lease({ link, prefix: '{lease}', holder, log, onGained, onLost, leaseMs });
    closers.push(() => lease.stop());
    return lease;
  }

  it('has one holder at a time, a larger token each time, and is taken over from a holder that releases it', async () => {
    const link = await connect();
    const a = ask('a', link);
    await until(() => events.length === 1);
    ask('b', link);
    await a.stop();
    await until(() => events.length === 2);
    expect(events).toEqual(['a', 'b']);
    expect(tokens[1]).toBeGreaterThan(tokens[0] as number);
    // As after a long pause: another process holds it by now.
    await link.set('{lease}:holder', 'c');
    await until(() => events.length === 3);
    expect(events[2]).toBe('b lost');
  });

  it('is taken, kept and released while the server has no room', async () => {
    const link = await connect();
    await link.config('SET', 'maxmemory', '1');
    const a = ask('a', link);
    await until(() => events.length === 1);
    await link.pexpire('{lease}:holder', 1_000);
    await until(async () => (await link.pttl('{lease}:holder')) > 1_000);
    ask('b', link);
    await a.stop();
    await until(() => events.length === 2);
    expect(events).toEqual(['a', 'b']);
    expect([...problems]).toEqual([]);
  });

  it('stays with its holder after a server outage, though another client reconnects first', async () => {
    const [sooner, later] = [await connect(), await connect()];
    ask('a', later);
    await until(() => events.length === 1);
    // Far longer than any pause of this machine.
    ask('b', sooner, 30_000);
    later.disconnect();
    await server.stop('SIGKILL');
    await until(() => problems.has('b'));
    await server.start();
    await isConnected(sooner);
    // As if it had expired meanwhile.
    await sooner.del('{lease}:holder');
    await sooner.config('RESETSTAT');
    await until(async () => asked(await sooner.info('commandstats')) >= 2);
    await later.connect();
    await until(async () => (await sooner.get('{lease}:holder')) === 'a');
    expect(events).toEqual(['a']);
  });
});

/** Number of attempts to take or read the lease. */
function asked(stats: string): number {
  return [...stats.matchAll(/cmdstat_(?:exists|evalsha|eval):calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
}
