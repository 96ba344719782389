import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { closingsOf, connectRedis, disconnect, isConnected, type RedisLink } from './redis.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';
import { SlowWire } from '../platform/testing/slow-wire.ts';
import { RedisStore } from './redis-store.ts';

describe.runIf(hasRedis)('a write over a connection that was given up', () => {
  let server: TestRedis;
  let wire: SlowWire;
  beforeAll(async () => {
    server = await TestRedis.start();
    wire = await SlowWire.open(server.port);
  });
  afterAll(async () => {
    wire.close();
    await server.close();
  });

  async function connect(url: string): Promise<RedisLink> {
    const link = connectRedis(url, { commandMsMax: 500 });
    onTestFinished(() => disconnect(link));
    await isConnected(link);
    return link;
  }

  /** Runs `write` while the connection is lost; a new connection exists when it returns. */
  async function lose(link: RedisLink, write: () => Promise<void>): Promise<() => Promise<void>> {
    wire.hold();
    await expect(write()).rejects.toThrow('timed out');
    const arrive = wire.pass();
    link.disconnect(true);
    await vi.waitUntil(() => link.status !== 'ready', { timeout: 30_000 });
    await isConnected(link);
    return arrive;
  }

  it('puts nothing back that was removed since', async () => {
    const link = await connect(wire.url);
    const store = new RedisStore({ link, prefix: '{late:put}', token: () => 1 });
    const other = new RedisStore({ link: await connect(server.url), prefix: '{late:put}', token: () => 1 });
    const tail = store.table<number>('tail', 'json');
    other.table('tail', 'json');
    const piece = tail.puts([{ key: ['BTC', 1], value: 1 }]);
    // Loads the scripts into the server.
    await store.commit([piece]);
    await store.commit([tail.removes([['BTC', 1]])]);
    const arrive = await lose(link, () => store.commit([piece]));
    await store.commit([piece]);
    await store.commit([tail.removes([['BTC', 1]])]);
    await arrive();
    expect(await tail.keys({ limit: 9 })).toEqual([]);
    // It blocks neither other commits under the token nor the next token.
    await other.commit([tail.puts([{ key: ['BTC', 2], value: 2 }])]);
    const next = new RedisStore({ link, prefix: '{late:put}', token: () => 2 });
    next.table('tail', 'json');
    await next.commit([tail.puts([{ key: ['BTC', 3], value: 3 }])]);
    expect(await tail.keys({ limit: 9 })).toEqual([
      ['BTC', 2],
      ['BTC', 3],
    ]);
    // Eras of earlier tokens are removed: only the era and write count of one writer remain.
    expect(await link.hlen('{late:put}:eras')).toBe(2);
  });

  it.each([
    ['was wiped', (link: RedisLink) => link.flushall()],
    ['was put back to an older state', (link: RedisLink) => link.hset('{wiped}:eras', 'any', 1)],
  ])('is refused, and reported, by a server that %s', async (_, damage) => {
    const link = await connect(server.url);
    const onWiped = vi.fn();
    const store = new RedisStore({ link, prefix: '{wiped}', token: () => 7, onWiped });
    const table = store.table<number>('a', 'json');
    const put = table.puts([{ key: ['x'], value: 1 }]);
    await store.commit([put]);
    const older = await link.hgetall('{wiped}:eras');
    await store.commit([put]);
    await damage(link);
    if ((await link.exists('{wiped}:eras')) === 1) await link.hset('{wiped}:eras', older);
    await expect(store.commit([put])).rejects.toThrow('WIPED');
    expect(onWiped).toHaveBeenCalledOnce();
    // Another writer, or the next token, starts from the current state.
    await new RedisStore({ link, prefix: '{wiped}', token: () => 8 }).commit([]);
    await link.flushall();
  });

  it('clears nothing that was written since', async () => {
    const link = await connect(wire.url);
    const store = new RedisStore({ link, prefix: '{late:clear}', token: () => 1 });
    const table = store.table<number>('a', 'json');
    const put = table.puts([{ key: ['x'], value: 1 }]);
    await store.commit([put]);
    await store.clear();
    await store.commit([put]);
    // By then the keys to clear are known.
    const scan = link.scan.bind(link) as (...args: unknown[]) => Promise<unknown>;
    vi.spyOn(link as { scan: typeof scan }, 'scan').mockImplementationOnce(async (...args) => {
      wire.pass();
      const found = await scan(...args);
      wire.hold();
      return found;
    });
    const arrive = await lose(link, () => store.clear());
    await store.clear();
    await store.commit([put]);
    await arrive();
    expect(await table.get(['x'])).toBe(1);
  });

  it('is taken when nothing was written since', async () => {
    const link = await connect(wire.url);
    const store = new RedisStore({ link, prefix: '{late:alone}', token: () => 1 });
    const table = store.table<number>('a', 'json');
    const put = table.puts([{ key: ['x'], value: 1 }]);
    await store.commit([put]);
    await store.commit([table.removes([['x']])]);
    const arrive = await lose(link, () => store.commit([put]));
    await arrive();
    expect(await table.get(['x'])).toBe(1);
  });
});

/** A cluster node without slots, and a connection to it that no cluster client uses. */
async function startNode(): Promise<{ readonly server: TestRedis; readonly link: RedisLink }> {
  const server = await TestRedis.start('--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1');
  onTestFinished(() => server.close());
  const link = connectRedis(server.url);
  onTestFinished(() => disconnect(link));
  await isConnected(link);
  return { server, link };
}

it.runIf(hasRedis)(
  'a write that is sent again in a cluster, over the next connection, is taken',
  async () => {
    // Two nodes: the library resends a command only while it knows another node to ask for the slot.
    const nodes = [await startNode(), await startNode()] as const;
    await nodes[0].link.call('CLUSTER', 'ADDSLOTSRANGE', 0, 8_191);
    await nodes[1].link.call('CLUSTER', 'ADDSLOTSRANGE', 8_192, 16_383);
    await nodes[0].link.call('CLUSTER', 'MEET', '127.0.0.1', nodes[1].server.port);
    for (const node of nodes) {
      const isUp = async (): Promise<boolean> =>
        String(await node.link.call('CLUSTER', 'INFO')).includes('cluster_state:ok');
      await vi.waitUntil(isUp, { timeout: 30_000 });
    }
    const slot = Number(await nodes[0].link.call('CLUSTER', 'KEYSLOT', '{again}'));
    const other = (slot < 8_192 ? nodes[0] : nodes[1]).link;
    const link = connectRedis(`${nodes[0].server.url}?cluster=1`);
    onTestFinished(() => disconnect(link));
    await isConnected(link);
    const store = new RedisStore({ link, prefix: '{again}', token: () => 1 });
    const table = store.table<number>('a', 'json');
    await store.commit([table.puts([{ key: ['x'], value: 1 }])]);
    await other.call('CLIENT', 'PAUSE', 60_000, 'WRITE');
    const again = store.commit([table.puts([{ key: ['x'], value: 2 }])]);
    await vi.waitUntil(async () => (await other.info('clients')).includes('blocked_clients:1'), {
      timeout: 30_000,
    });
    await other.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await vi.waitUntil(() => closingsOf(link) > 0, { timeout: 30_000 });
    await other.call('CLIENT', 'UNPAUSE');
    await again;
    // Writes wait for the next connection; reads fail until the cluster client has found its nodes again.
    const stored = (): Promise<number | undefined> => table.get(['x']).catch(() => undefined);
    await expect.poll(stored).toBe(2);
    await store.commit([table.puts([{ key: ['x'], value: 3 }])]);
    await expect.poll(stored).toBe(3);
  },
);
