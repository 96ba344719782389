import { ManualClock } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConnectionSlots } from '../gateway/connection-slots.ts';
import { REVOCATION_MS } from '../platform/key-store.ts';
import { Quota } from '../platform/quota.ts';
import { connectRedis, disconnect, isConnected, type RedisLink } from './redis.ts';
import { shareQuotas } from './shared-quotas.ts';
import { SharedSlots } from './shared-slots.ts';
import { systemClock } from '../platform/system-clock.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';
import { openSharedKeys } from './open-shared-keys.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe.runIf(hasRedis)('keys and quotas of several gateways', () => {
  let server: TestRedis;
  let link: RedisLink;
  beforeAll(async () => {
    server = await TestRedis.start();
    link = connectRedis(server.url);
    await isConnected(link);
  });
  afterAll(async () => {
    link.disconnect();
    await server.close();
  });

  it('knows at one gateway what was made at another, and lets a revoked key go in time', async () => {
    const clock = new ManualClock(1_760_000_000_000);
    const [a, b] = [
      await openSharedKeys({ link, clock, log, writer: 'a' }),
      await openSharedKeys({ link, clock, log, writer: 'b' }),
    ];
    const { text, record } = await a.ring.create('pro');
    const owner = await b.ring.find(text);
    expect(owner).toEqual({ id: record.id, tier: 'pro' });
    expect(b.ring.recall(text)).toEqual(owner);
    a.ring.count({ id: record.id, tier: 'pro' });
    b.ring.count({ id: record.id, tier: 'pro' });
    await a.usage.write();
    await b.usage.write();
    expect((await a.ring.describe({ id: record.id, tier: 'pro' }))?.usage.total).toBe(2);
    await a.ring.revoke({ id: record.id, tier: 'pro' });
    clock.advance(REVOCATION_MS);
    expect(b.ring.recall(text)).toBeUndefined();
    expect(await b.ring.find(text)).toBeUndefined();
    await a.close();
    await b.close();
  });

  it('counts the sockets of a key at all gateways together, and forgets those of a gateway that is gone', async () => {
    const sharings = ['a', 'b'].map((gateway) => new SharedSlots({ link, log, gateway }));
    const [a, b] = sharings.map(
      (sharing) => new ConnectionSlots(systemClock, 'enforce', undefined, sharing),
    ) as [ConnectionSlots, ConnectionSlots];
    const account = { name: 'key 1', tier: 'free' } as const;
    const take = async (slots: ConnectionSlots): Promise<boolean> => {
      slots.enter('address');
      await slots.learn(account);
      return slots.take('address', account);
    };
    expect([await take(a), await take(a)]).toEqual([true, true]);
    await a.learn(account);
    expect([await take(b), await take(b)]).toEqual([true, false]);
    await b.learn(account);
    expect(await take(a)).toBe(false);
    a.leave('address', account);
    await a.learn(account);
    expect(await take(b)).toBe(true);
    await sharings[1]?.stop();
    expect([await take(a), await take(a), await take(a)]).toEqual([true, true, false]);
    await sharings[0]?.stop();
  });

  it('readmits an account that has left another gateway, despite its cached count', async () => {
    const sharings = ['a', 'b'].map((gateway) => new SharedSlots({ link, log, gateway }));
    const [a, b] = sharings.map(
      (sharing) => new ConnectionSlots(systemClock, 'enforce', undefined, sharing),
    ) as [ConnectionSlots, ConnectionSlots];
    const account = { name: 'address 1.2.3.4', tier: 'free' } as const;
    const take = (slots: ConnectionSlots): boolean => {
      slots.enter('address');
      return slots.take('address', account);
    };
    expect([take(a), take(a), take(a)]).toEqual([true, true, true]);
    await a.learn(account);
    await b.learn(account);
    expect(take(b)).toBe(false);
    for (let n = 0; n < 3; n += 1) a.leave('address', account);
    await vi.waitUntil(() => take(b), { timeout: 10_000, interval: 200 });
    for (const sharing of sharings) await sharing.stop();
  });

  it('counts a caller at all gateways together, and by itself while the server is away', async () => {
    const quotas = [new Quota(systemClock), new Quota(systemClock)] as const;
    const sharers = quotas.map((quota) => {
      const sharer = shareQuotas({ link, log });
      sharer.share('requests', quota);
      return sharer;
    });
    for (let i = 0; i < 30; i += 1) for (const quota of quotas) quota.take('1.2.3.4', 60);
    // Stopping it merges the counts.
    await sharers[0]?.stop();
    await sharers[1]?.stop();
    expect(quotas[1].take('1.2.3.4', 60)).toMatchObject({ remaining: 0, isOver: true });
    link.disconnect();
    const alone = new Quota(systemClock);
    const sharer = shareQuotas({ link, log });
    sharer.share('requests', alone);
    alone.take('5.6.7.8', 60);
    await sharer.stop();
    expect(alone.take('5.6.7.8', 60).remaining).toBe(58);
  });

  it('hands out no part of a quota twice after a server outage', async () => {
    // More than there are slots.
    const callers = Array.from({ length: 16 }, (_, i) => `10.0.0.${i}`);
    const quota = new Quota(systemClock);
    quota.keepUnsent();
    const take = (count: number): void => {
      for (let i = 0; i < count; i += 1) for (const caller of callers) quota.take(caller, 60);
    };
    const mine = connectRedis(server.url);
    await isConnected(mine);
    const exchange = async (): Promise<void> => {
      const sharer = shareQuotas({ link: mine, log });
      sharer.share('outage', quota);
      await sharer.stop();
    };
    take(10);
    await exchange();
    await server.stop();
    take(20);
    await exchange();
    await server.start();
    await isConnected(mine);
    take(1);
    await exchange();
    const remaining = callers.map((caller) => quota.take(caller, 60).remaining);
    disconnect(mine);
    expect(remaining).toEqual(callers.map(() => 60 - 10 - 20 - 1 - 1));
  });
});
