import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openPlace, placeOf } from './open-place.ts';
import { connectRedis, disconnect, Fenced, isConnected, type RedisLink } from './redis.ts';
import { RedisStore } from './redis-store.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';

describe.runIf(hasRedis)('the common record of several groups', () => {
  let server: TestRedis;
  let link: RedisLink;
  beforeAll(async () => {
    server = await TestRedis.start();
    link = connectRedis(server.url);
    await isConnected(link);
  });
  afterAll(async () => {
    disconnect(link);
    await server.close();
  });

  const writer = (prefix: string, token: number, group?: string, onWiped = (): void => undefined) => {
    const store = new RedisStore({ link, prefix, token: () => token, group, onWiped });
    const table = store.table<number>('a', 'json');
    return {
      store,
      get: (key: string) => table.get([key]),
      put: (key: string, value: number) => store.commit([table.puts([{ key: [key], value }])]),
    };
  };

  it('refuses the leader before of a group, and no other group', async () => {
    const primary = writer('{fences}', 3);
    const before = writer('{fences}', 4, 'bybit');
    const now = writer('{fences}', 9, 'bybit');
    await primary.put('p', 1);
    await before.put('b', 1);
    await now.put('b', 2);
    await expect(before.put('b', 3)).rejects.toBeInstanceOf(Fenced);
    await primary.put('p', 2);
    expect([await primary.get('p'), await now.get('b')]).toEqual([2, 2]);
    // The primary group's key is the same as without other groups.
    expect(await link.get('{fences}:fence')).toBe('3');
    expect(await writer('{fences}', 3, 'primary').get('p')).toBe(2);
  });

  it('is written by a worker thread of a group under its fence', async () => {
    await writer('{place}', 5, 'bybit').put('b', 1);
    const place = (token: number): string =>
      placeOf({ url: server.url, prefix: '{place}', token, group: 'bybit' });
    const [old, now] = [await openPlace(place(4)), await openPlace(place(6))];
    onTestFinished(async () => void (await Promise.all([old.close(), now.close()])));
    await now.commit([now.table<number>('a', 'json').puts([{ key: ['b'], value: 2 }])]);
    const late = old.table<number>('a', 'json').puts([{ key: ['b'], value: 3 }]);
    await expect(old.commit([late])).rejects.toBeInstanceOf(Fenced);
    expect(await link.get('{place}:fence:bybit')).toBe('6');
  });

  it('is cleared by the primary group for all: the others find out, and stay fenced', async () => {
    const onWiped = vi.fn();
    const primary = writer('{cleared}', 1);
    const group = writer('{cleared}', 2, 'bybit', onWiped);
    await primary.put('p', 1);
    await group.put('b', 1);
    await primary.store.clear();
    await primary.put('p', 2);
    await expect(group.put('b', 2)).rejects.toThrow('WIPED');
    expect(onWiped).toHaveBeenCalledOnce();
    expect(await link.get('{cleared}:fence:bybit')).toBe('2');
    const next = writer('{cleared}', 3, 'bybit');
    await next.put('b', 3);
    expect(await next.get('b')).toBe(3);
    await expect(group.put('b', 4)).rejects.toBeInstanceOf(Fenced);
  });
});
