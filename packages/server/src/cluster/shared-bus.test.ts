import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { RedisStore } from './redis-store.ts';
import type { LatestTopic, LogTopic } from '../platform/bus.ts';
import { printBatch, shardNumber, shardsOf } from './bus-wire.ts';
import { GatewayBus } from './gateway-bus.ts';
import { IngestBus } from './ingest-bus.ts';
import { connectRedis, disconnect, isConnected, type RedisLink } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';

interface Event {
  readonly ts: number;
  readonly n: number;
}

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const keep = { kind: 'log', keepMs: 60_000, entriesMax: 10_000 } as const;
const coins = ['BTC', 'ETH', 'SOL', 'kPEPE', 'DOGE'];
const trades = (coin: string): LogTopic<Event> => ({ name: `trades:${coin}`, keep });
const other: LogTopic<Event> = { name: 'liquidations', keep };
const price: LatestTopic<{ readonly usd: number }> = { name: 'price', keep: { kind: 'latest' } };
const demand: LatestTopic<string> = { name: 'demand', keep: { kind: 'latest' }, by: 'gateway' };
/** Whether a promise is fulfilled. */
const isKept = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );

const until = (holds: () => boolean | Promise<boolean>): Promise<unknown> =>
  vi.waitUntil(holds, { timeout: 60_000, interval: 10 });

let prefixes = 0;
const usual = { commandMsMax: 5_000, waitingMax: 10_000 };
/** The tests wait for servers, so they run at the same time: each has its own end. */
type Ending = Pick<TestContext, 'onTestFinished'>;

/** Fixtures on one server, under unique names. */
async function rig({ onTestFinished }: Ending, url: string, own: Partial<typeof usual> = {}) {
  const { commandMsMax, waitingMax } = { ...usual, ...own };
  prefixes += 1;
  const prefix = `test:${prefixes}`;
  const connect = (): RedisLink => connectRedis(url, { commandMsMax });
  const link = connect();
  onTestFinished(() => disconnect(link));
  await isConnected(link);
  const shared = { clock: systemClock, log, prefix, link, connect };
  return {
    link,
    prefix,
    async ingester(onFenced = (): void => undefined): Promise<IngestBus> {
      const isCopied = (name: string): boolean => name.startsWith('trades:');
      const onLost = (): void => undefined;
      const bus = await IngestBus.open({ ...shared, isCopied, onLost, onFenced, waitingMax });
      onTestFinished(() => bus.stop());
      return bus;
    },
    async gateway(): Promise<GatewayBus> {
      const bus = await GatewayBus.open({ ...shared, silentMs: 1_500 });
      onTestFinished(() => bus.stop());
      return bus;
    },
  };
}

const numbers = (bus: GatewayBus, topic: LogTopic<Event>): readonly number[] =>
  bus
    .log(topic)
    .since(0)
    .map(({ n }) => n);
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

function publish(bus: IngestBus, count: number, from = 0): void {
  for (let n = from; n < count; n += 1)
    for (const coin of coins) bus.publish(trades(coin), { ts: systemClock.now(), n });
}

describe.runIf(hasRedis)('a bus on one Redis', { concurrent: true }, () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await TestRedis.start();
  });
  afterAll(() => server.close());

  it('brings everything to every gateway in order, also to one that comes later', async (test) => {
    const { ingester, gateway } = await rig(test, server.url);
    const bus = await ingester();
    await bus.lead(1);
    const early = await gateway();
    publish(bus, 100);
    bus.publish(price, { usd: 1 });
    bus.publish(price, { usd: 2 });
    await bus.flushed();
    const late = await gateway();
    for (const one of [early, late]) {
      for (const coin of coins) {
        await one.settled(trades(coin));
        expect(numbers(one, trades(coin))).toEqual(upTo(100));
      }
      await until(() => one.latest(price)?.message.usd === 2);
    }
  });

  it('carries demands to the publisher, and recent demands to the next publisher', async (test) => {
    const { ingester, gateway } = await rig(test, server.url);
    const [bus, standby, door] = [await ingester(), await ingester(), await gateway()];
    await bus.lead(1);
    const wanted: string[] = [];
    const held: string[] = [];
    bus.subscribe(demand, (one) => wanted.push(one));
    standby.subscribe(demand, (one) => held.push(one));
    door.publish(demand, 'BTC');
    door.publish(demand, 'BTC');
    door.publish(demand, 'ETH');
    await until(() => wanted.length === 2);
    expect(wanted).toEqual(['BTC', 'ETH']);
    expect(held).toEqual([]);
    await standby.lead(2);
    await until(() => held.length === 2);
    expect(held).toEqual(['BTC', 'ETH']);
    expect(() => door.publish(price, { usd: 1 })).toThrow('price is not for a gateway to publish');
  });

  it('has a standby copy what only the publisher makes, the newest messages too, and say it when it leads', async (test) => {
    const { ingester, gateway } = await rig(test, server.url);
    const [bus, standby] = [await ingester(), await ingester()];
    const alone: LatestTopic<{ readonly usd: number }> = { name: 'trades:newest', keep: { kind: 'latest' } };
    await bus.lead(1);
    bus.publish(alone, { usd: 1 });
    bus.publish(price, { usd: 1 });
    await until(() => standby.latest(alone)?.message.usd === 1);
    expect(standby.latest(price)).toBeUndefined();
    await standby.lead(2);
    const door = await gateway();
    await until(() => door.latest(alone)?.message.usd === 1);
  });

  it('refuses a publisher that was overtaken, and the next says what it had not said, nothing twice', async (test) => {
    const { ingester, gateway } = await rig(test, server.url);
    const fenced = vi.fn();
    const [old, young, door] = [await ingester(fenced), await ingester(), await gateway()];
    await old.lead(1);
    const events = [0, 1, 2].map((n) => ({ ts: systemClock.now(), n }));
    for (const event of events) old.publish(other, event);
    publish(old, 50);
    await old.flushed();
    for (const event of [...events, { ts: systemClock.now(), n: 3 }]) young.publish(other, event);
    await young.lead(2);
    // The tape of the previous leader is here, to be continued.
    expect(young.log(trades('BTC')).end).toBe(50);
    publish(old, 60, 50);
    await until(() => fenced.mock.calls.length > 0);
    await expect(old.flushed()).rejects.toThrow();
    publish(young, 70, 60);
    await young.flushed();
    await door.settled(trades('BTC'));
    await door.settled(other);
    expect(numbers(door, trades('BTC'))).toEqual([...upTo(50), ...upTo(70).slice(60)]);
    expect(numbers(door, other)).toEqual([0, 1, 2, 3]);
  });

  it('continues unchanged when the lead is taken again, as after a failed start', async (test) => {
    const { ingester, gateway } = await rig(test, server.url);
    const [bus, door] = [await ingester(), await gateway()];
    await bus.lead(1);
    for (let usd = 0; usd < 5; usd += 1) {
      bus.publish(price, { usd });
      await bus.flushed();
    }
    publish(bus, 10);
    await bus.flushed();
    await bus.lead(1);
    publish(bus, 20, 10);
    bus.publish(price, { usd: 77 });
    await bus.flushed();
    await door.settled(trades('BTC'));
    expect(numbers(door, trades('BTC'))).toEqual(upTo(20));
    await vi.waitUntil(() => door.latest(price)?.message.usd === 77, { timeout: 5_000, interval: 10 });
  });
});

describe.runIf(hasRedis)('a reader that has missed something', { concurrent: true }, () => {
  it('is reported with the next entry when it was removed before it was read', async (test) => {
    const server = await TestRedis.start();
    test.onTestFinished(() => server.close());
    const { ingester, gateway, link, prefix } = await rig(test, server.url);
    const [bus, door] = [await ingester(), await gateway()];
    const missed = vi.fn();
    door.onMissed(missed);
    await bus.lead(1);
    publish(bus, 3);
    await bus.flushed();
    await door.settled(trades('BTC'));
    const { name } = trades('BTC');
    const { log: key } = shardsOf(prefix)[shardNumber(name)] as { log: string };
    const [last] = await link.xrevrange(key, '+', '-', 'COUNT', 1);
    const after = (id: string, n: number): string => `${Number(id.split('-')[0]) + n}-0`;
    const lastId = last?.[0] as string;
    const entry = (n: number): string =>
      printBatch({
        atMs: systemClock.now(),
        isAfterLoss: false,
        parts: [{ ...keep, name, messages: [{ ts: systemClock.now(), n }] }],
      });
    await link.xadd(key, after(lastId, 1), 'b', entry(3), '<', lastId);
    await until(() => numbers(door, trades('BTC')).length === 4);
    expect(missed).not.toHaveBeenCalled();
    // Atomically, so that no client can read the first of the two.
    await link
      .multi()
      .xadd(key, after(lastId, 2), 'b', entry(4), '<', after(lastId, 1))
      .xadd(key, after(lastId, 3), 'b', entry(5), '<', after(lastId, 2))
      .xtrim(key, 'MAXLEN', 1)
      .exec();
    await until(() => missed.mock.calls.length === 1);
    await until(() => numbers(door, trades('BTC')).length === 1);
    expect(numbers(door, trades('BTC'))).toEqual([5]);
    // A client that had read everything is behind as well.
    expect(door.log(trades('BTC')).start).toBe(5);
  });

  it('is reported when too much had to wait for the server', async (test) => {
    const server = await TestRedis.start();
    test.onTestFinished(() => server.close());
    const { ingester, gateway } = await rig(test, server.url, { waitingMax: 100 });
    const [bus, door] = [await ingester(), await gateway()];
    const missed = vi.fn();
    door.onMissed(missed);
    await bus.lead(1);
    publish(bus, 10);
    await bus.flushed();
    await server.stop('SIGKILL');
    for (let n = 10; n < 300; n += 1) bus.publish(trades('BTC'), { ts: systemClock.now(), n });
    await server.start();
    await until(() => numbers(door, trades('BTC')).at(-1) === 299);
    expect(missed).toHaveBeenCalled();
    const held = numbers(door, trades('BTC'));
    expect(held).toEqual(upTo(300).slice(-held.length));
    expect(numbers(door, trades('ETH')).at(-1)).toBe(9);
  });
});

describe.runIf(hasRedis)('a Redis that is slow', { concurrent: true }, () => {
  it('is sent the same again and takes it once', async (test) => {
    const server = await TestRedis.start();
    test.onTestFinished(() => server.close());
    const { ingester, gateway, link } = await rig(test, server.url, { commandMsMax: 1_000 });
    const [bus, door] = [await ingester(), await gateway()];
    // A command may take longer than that on a busy machine as well.
    await until(() => isKept(bus.lead(1)));
    const pause = connectRedis(server.url);
    test.onTestFinished(() => disconnect(pause));
    await isConnected(pause);
    for (let round = 1; round <= 2; round += 1) {
      await pause.call('CLIENT', 'PAUSE', 2_500, 'ALL');
      publish(bus, round * 20, (round - 1) * 20);
      await until(() => isKept(bus.flushed()).then((isFlushed) => !isFlushed));
      await until(() => numbers(door, trades('BTC')).length >= round * 20);
    }
    await until(() => isKept(link.ping()));
    for (const coin of coins) {
      await until(() => numbers(door, trades(coin)).length >= 40);
      await until(() => isKept(door.settled(trades(coin))));
      expect(numbers(door, trades(coin))).toEqual(upTo(40));
    }
  });
});

describe.runIf(hasRedis)('a Redis with a replica and a sentinel', { concurrent: true }, () => {
  it.for([
    ['is gone', (master: TestRedis) => master.stop('SIGKILL')],
    ['hangs, its connections open', async (master: TestRedis) => master.signal('SIGSTOP')],
  ] as const)(
    'is followed to the replica when the master %s, and nothing that both have is lost',
    async ([, end], test) => {
      const master = await TestRedis.start();
      const replica = await TestRedis.start('--replicaof', '127.0.0.1', String(master.port));
      const sentinel = await TestRedis.startSentinel(master.port);
      test.onTestFinished(async () => {
        for (const one of [sentinel, replica, master]) await one.close();
      });
      const { ingester, gateway, link } = await rig(test, `${sentinel.url}?sentinel=mymaster`, {
        commandMsMax: 1_200,
      });
      const [bus, door] = [await ingester(), await gateway()];
      await bus.lead(1);
      publish(bus, 20);
      await bus.flushed();
      await until(async () => (await link.wait(1, 1_000)) === 1);
      await end(master);
      publish(bus, 40, 20);
      const isFlushed = (): Promise<boolean> => isKept(bus.flushed());
      await vi.waitUntil(isFlushed, { timeout: 30_000, interval: 10 });
      await until(() => !door.isSilent);
      for (const coin of coins) {
        await until(() => numbers(door, trades(coin)).length >= 40);
        expect(numbers(door, trades(coin))).toEqual(upTo(40));
      }
    },
  );
});

describe.runIf(hasRedis)('a Redis that goes away', { concurrent: true }, () => {
  it('does not block a stop', async (test) => {
    const server = await TestRedis.start();
    test.onTestFinished(() => server.close());
    const { ingester, gateway } = await rig(test, server.url);
    const [leader, standby, door] = [await ingester(), await ingester(), await gateway()];
    await leader.lead(1);
    await server.stop('SIGKILL');
    publish(leader, 5);
    await until(() => isKept(leader.flushed()).then((isFlushed) => !isFlushed));
    // By then all wait between two connection attempts.
    await until(() => door.isSilent);
    const startMs = systemClock.now();
    await Promise.all([leader.stop(), standby.stop(), door.stop()]);
    // Not before Redis is available again.
    expect(systemClock.now() - startMs).toBeLessThan(30_000);
  });

  it('loses nothing over a restart, and says meanwhile that nothing new comes', async (test) => {
    const server = await TestRedis.start();
    test.onTestFinished(() => server.close());
    const { ingester, gateway } = await rig(test, server.url);
    const [bus, door] = [await ingester(), await gateway()];
    await bus.lead(1);
    publish(bus, 10);
    await bus.flushed();
    await server.stop('SIGKILL');
    publish(bus, 20, 10);
    await until(() => door.isSilent);
    await expect(bus.flushed()).rejects.toThrow();
    expect(bus.waiting).toBeGreaterThan(0);
    await server.start();
    await until(() => !door.isSilent);
    await until(() => numbers(door, trades('BTC')).length === 20);
    for (const coin of coins) expect(numbers(door, trades(coin))).toEqual(upTo(20));
  });

  it('is waited for while it has no room', async (test) => {
    const server = await TestRedis.start();
    test.onTestFinished(() => server.close());
    const { ingester, gateway, link } = await rig(test, server.url);
    const [bus, door] = [await ingester(), await gateway()];
    await link.config('SET', 'maxmemory', '1');
    await bus.lead(1);
    publish(bus, 5);
    await until(() =>
      bus.flushed().then(
        () => false,
        (error: Error) => error.message.startsWith('OOM'),
      ),
    );
    await link.config('SET', 'maxmemory', '0');
    await until(() => numbers(door, trades('ETH')).length === 5);
    expect(numbers(door, trades('ETH'))).toEqual(upTo(5));
  });
});

describe.runIf(hasRedis)('a cluster of three', { concurrent: true }, () => {
  it('carries the bus over all nodes, and keeps what is committed together on one', async (test) => {
    const nodes = await Promise.all([1, 2, 3].map(() => TestRedis.start('--cluster-enabled', 'yes')));
    test.onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))));
    const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
    await promisify(execFile)('redis-cli', ['--cluster', 'create', ...hosts, '--cluster-yes']);
    const { ingester, gateway, link } = await rig(test, `${nodes[0]?.url}?cluster=1`);
    const [bus, door] = [await ingester(), await gateway()];
    await bus.lead(1);
    publish(bus, 30);
    bus.publish(price, { usd: 3 });
    await bus.flushed();
    for (const coin of coins) {
      await door.settled(trades(coin));
      expect(numbers(door, trades(coin))).toEqual(upTo(30));
    }
    await until(() => door.latest(price)?.message.usd === 3);
    const store = new RedisStore({ link, prefix: '{cluster:store}', token: () => 1 });
    const [a, b] = [store.table<number>('a', 'json'), store.table<number>('b', 'json')];
    await store.commit([a.puts([{ key: ['x', 1], value: 1 }]), b.puts([{ key: ['y'], value: 2 }])]);
    expect(await a.range({ limit: 10 })).toEqual([{ key: ['x', 1], value: 1 }]);
    expect(await b.get(['y'])).toBe(2);
    // The other shards still deliver, but the failure of one is reported.
    nodes[2]?.signal('SIGSTOP');
    await until(() => door.isSilent);
    nodes[2]?.signal('SIGCONT');
    await until(() => !door.isSilent);
  });
});
