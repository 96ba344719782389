import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectRedis, disconnect, Fenced, isConnected, type RedisLink } from '../cluster/redis.ts';
import { hasRedis, TestRedis } from '../cluster/testing/redis-server.ts';
import { sharedMark } from './unfinished-history.ts';
import { RedisStore } from '../cluster/redis-store.ts';
import { StandbyStore } from '../cluster/standby-store.ts';

describe.runIf(hasRedis)('a past on a shared server', () => {
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

  /** The store of an ingester that has the turn, and a table of it. */
  async function taken(prefix: string, token: number) {
    const store = new RedisStore({ link, prefix, token: () => token });
    const clock = { now: () => 0 } as never;
    await new StandbyStore({ store, clock, published: async () => undefined }).lead();
    const rows = store.table<number>('rows', 'json');
    const put = (value: number): Promise<void> => store.commit([rows.puts([{ key: [value], value }])]);
    return { rows, put, mark: sharedMark(store) };
  }

  it('that was left unfinished is discarded by the next leader, and the previous one is refused', async () => {
    const first = await taken('{half}', 1);
    await first.mark.set();
    await first.put(1);
    const second = await taken('{half}', 2);
    // Nothing was written yet under the new token, and still:
    await expect(first.put(2)).rejects.toThrow(Fenced);
    expect(await second.rows.keys({ limit: 10 })).toEqual([[1]]);
    await second.mark.clearUnfinished();
    expect(await second.rows.keys({ limit: 10 })).toEqual([]);
    await expect(first.put(3)).rejects.toThrow(Fenced);
  });

  it('that is whole stays', async () => {
    const first = await taken('{whole}', 1);
    await first.mark.set();
    await first.put(1);
    await first.mark.remove();
    const second = await taken('{whole}', 2);
    await second.mark.clearUnfinished();
    expect(await second.rows.keys({ limit: 10 })).toEqual([[1]]);
  });
});
