import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectRedis, isConnected, type RedisLink } from '../cluster/redis.ts';
import type { Task } from '../platform/jobs.ts';
import { hasRedis, TestRedis } from '../cluster/testing/redis-server.ts';
import { startThreadJobs } from '../platform/thread-jobs.ts';
import { LmdbStore } from './lmdb-store.ts';
import { placeOf } from '../cluster/open-place.ts';
import { decodeKey, encodeKey } from '../cluster/redis-key.ts';
import { RedisStore } from '../cluster/redis-store.ts';
import { StandbyStore } from '../cluster/standby-store.ts';
import type { Change, Key, Store } from './store.ts';
import { withReader } from '../cluster/thread-reader.ts';
import { runs } from '../../../../test/runs.ts';

/** A store that can be reopened with its content. */
interface Kind {
  readonly name: string;
  open(): Store;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

function lmdb(): Kind {
  let folder: string;
  return {
    name: 'lmdb',
    begin: () => {
      folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
    },
    open: () => new LmdbStore(folder),
    end: () => rmSync(folder, { recursive: true }),
  };
}

function redis(): Kind {
  let server: TestRedis;
  let link: RedisLink;
  let stores = 0;
  beforeAll(async () => {
    server = await TestRedis.start();
    link = connectRedis(server.url);
    await isConnected(link);
  });
  afterAll(async () => {
    link.disconnect();
    await server.close();
  });
  return {
    name: 'redis',
    begin: () => {
      stores += 1;
    },
    open: () => new RedisStore({ link, prefix: `{test:${stores}}` }),
    end: () => undefined,
  };
}

function compare(a: Key, b: Key): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const [x, y] = [a[i], b[i]] as [string | number, string | number];
    if (x === y) continue;
    if (typeof x !== typeof y) return typeof x === 'number' ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}

const keys = fc.oneof(
  fc.tuple(
    fc.constantFrom('BTC', 'ETH', 'kPEPE', '*', 'B', ''),
    fc.integer({ min: 0, max: 2_000_000_000_000 }),
    fc.integer({ min: 0, max: 2 ** 50 }),
  ),
  fc.tuple(fc.constantFrom('BTC', 'ETH'), fc.double({ min: -1e9, max: 1e9, noNaN: true })),
  fc.tuple(fc.integer({ min: -5, max: 5 }), fc.constantFrom('BTC', 'x')),
);

const kinds = [lmdb, ...(hasRedis ? [redis] : [])];

describe.each(kinds)('the store of %o', (kindOf) => {
  const kind = kindOf();
  let store: Store;
  let tables = 0;

  beforeEach(async () => {
    await kind.begin();
    store = kind.open();
  });

  afterEach(async () => {
    await store.close();
    await kind.end();
  });

  it('gives any range, forwards and backwards, as a sorted array would', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(keys, { selector: (key) => JSON.stringify(key), maxLength: 30 }),
        fc.option(keys, { nil: undefined }),
        fc.option(keys, { nil: undefined }),
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        async (all, from, to, reverse, limit) => {
          tables += 1;
          const table = store.table<number>(`t${tables}`, 'json');
          await store.commit([table.puts(all.map((key, value) => ({ key, value })))]);
          const expected = all
            .map((key, value) => ({ key, value }))
            .filter(({ key }) => (!from || compare(key, from) >= 0) && (!to || compare(key, to) < 0))
            .toSorted((a, b) => compare(a.key, b.key) * (reverse ? -1 : 1))
            .slice(0, limit);
          const range = { ...(from ? { from } : {}), ...(to ? { to } : {}), reverse, limit };
          expect(await table.range(range)).toEqual(expected);
          expect(await table.keys(range)).toEqual(expected.map(({ key }) => key));
        },
      ),
      { numRuns: runs(40), seed: 7 },
    );
  });

  it('gives more rows than it reads at a time, both ways', async () => {
    const table = store.table<number>('many', 'json');
    const all = Array.from({ length: 2_345 }, (_, i) => ({ key: ['a', i], value: i }));
    await store.commit([table.puts(all)]);
    const values = async (reverse: boolean): Promise<readonly number[]> =>
      (await table.range({ from: ['a', 5], to: ['a', 2_300], reverse, limit: 2_100 })).map(
        (row) => row.value,
      );
    expect(await values(false)).toEqual(Array.from({ length: 2_100 }, (_, i) => 5 + i));
    expect(await values(true)).toEqual(Array.from({ length: 2_100 }, (_, i) => 2_299 - i));
  });

  it('has what was written when it is opened again', async () => {
    await store.commit([
      store.table<object>('things', 'json').puts([{ key: ['a', 1], value: { price: 69_997.5 } }]),
      store.table('bytes', 'binary').puts([{ key: ['a'], value: new Uint8Array([0, 255, 13, 10]) }]),
    ]);
    await store.close();
    store = kind.open();
    expect(await store.table('things', 'json').get(['a', 1])).toEqual({ price: 69_997.5 });
    const bytes = await store.table('bytes', 'binary').get(['a']);
    expect([...(bytes as Uint8Array)]).toEqual([0, 255, 13, 10]);
  });

  it('forgets what is removed, and replaces what is put again', async () => {
    const table = store.table<number>('things', 'json');
    const put = (name: string, value: number) => ({ key: [name], value });
    await store.commit([table.puts([put('a', 1), put('b', 2)])]);
    await store.commit([table.removes([['a']]), table.puts([put('b', 3)])]);
    expect(await table.range({ limit: 10 })).toEqual([put('b', 3)]);
    expect(await table.get(['a'])).toBeUndefined();
  });

  it('adds bytes after those that are stored', async () => {
    const table = store.table('bytes', 'binary');
    const add = (...bytes: readonly number[]): Change =>
      table.appends([{ key: ['a'], value: Uint8Array.from(bytes) }]);
    await store.commit([add(1, 2)]);
    await store.commit([add(3), add(4)]);
    expect([...((await table.get(['a'])) ?? [])]).toEqual([1, 2, 3, 4]);
  });

  it('commits all changes or none', async () => {
    const table = store.table<unknown>('things', 'json');
    const unwritable = { toJSON: () => expect.fail('cannot be written') };
    const changes = [table.puts([{ key: ['a'], value: 1 }]), table.puts([{ key: ['b'], value: unwritable }])];
    await expect(store.commit(changes)).rejects.toThrow();
    const endless = table.puts([{ key: ['x'.repeat(2_000)], value: 1 }]);
    await expect(store.commit([changes[0] as Change, endless])).rejects.toThrow(/a key of 200\d bytes/);
    const unknown = { table: 'unknown', put: [], remove: [] };
    await expect(store.commit([changes[0] as Change, unknown])).rejects.toThrow('no table unknown is open');
    expect(await table.range({ limit: 10 })).toEqual([]);
  });

  it('answers a probe while it can be written to', async () => {
    await expect(store.probe()).resolves.toBeUndefined();
  });
});

it('writes keys as bytes that sort as they do and read back', () => {
  const anyKey = fc.array(fc.oneof(fc.double({ noNaN: true }), fc.string({ maxLength: 4 })), {
    maxLength: 3,
  });
  fc.assert(
    fc.property(anyKey, anyKey, (a, b) => {
      const plain = a.map((part) => (part === 0 ? 0 : part));
      expect(decodeKey(encodeKey(a))).toEqual(plain);
      const order = Buffer.compare(encodeKey(a), encodeKey(b));
      expect(Math.sign(order)).toBe(
        Math.sign(
          compare(
            plain,
            b.map((part) => (part === 0 ? 0 : part)),
          ),
        ),
      );
    }),
    { numRuns: runs(300), seed: 3 },
  );
});

describe.runIf(hasRedis)('a fenced store', () => {
  it('refuses an overtaken writer, and adds only new rows on request', async () => {
    const server = await TestRedis.start();
    const link = connectRedis(server.url);
    await isConnected(link);
    const open = (token: number) => new RedisStore({ link, prefix: '{f}', token: () => token });
    const [old, young] = [open(5), open(6)];
    const put = (store: RedisStore, value: number) =>
      store.table<number>('t', 'json').puts([{ key: ['a'], value }]);
    await old.commit([put(old, 1)]);
    await young.commitNew([put(young, 2)]);
    expect(await young.table('t', 'json').get(['a'])).toBe(1);
    await expect(old.commit([put(old, 3)])).rejects.toThrow('FENCED');
    await young.commit([put(young, 4)]);
    expect(await old.table('t', 'json').get(['a'])).toBe(4);
    link.disconnect();
    await server.close();
  });
});

describe.runIf(hasRedis)('a Redis that is away', () => {
  it('cannot be read at the moment, which is no programming error, and is read again when it is back', async () => {
    const server = await TestRedis.start();
    onTestFinished(() => server.close());
    const link = connectRedis(server.url, { commandMsMax: 300 });
    onTestFinished(() => link.disconnect());
    await isConnected(link);
    const store = new RedisStore({ link, prefix: '{test:away}' });
    const table = store.table<number>('a', 'json');
    await store.commit([table.puts([{ key: ['x'], value: 1 }])]);
    const away = {
      name: 'Failure',
      code: 'upstream_unavailable',
      message: 'The record cannot be read at the moment.',
      details: { retryAfterSeconds: 5 },
    };
    const reads = [() => table.get(['x']), () => table.range({ limit: 1 }), () => table.keys({ limit: 1 })];
    server.signal('SIGSTOP');
    for (const read of reads) await expect(read()).rejects.toMatchObject(away);
    await server.stop('SIGKILL');
    for (const read of reads) await expect(read()).rejects.toMatchObject(away);
    await server.start();
    await vi.waitUntil(
      () =>
        table.get(['x']).then(
          (value) => value === 1,
          () => false,
        ),
      10_000,
    );
    // A refusal of the server itself is a bug.
    await link.set('{test:away}:values:b', 'no table');
    await expect(store.table('b', 'json').get(['x'])).rejects.toMatchObject({ name: 'ReplyError' });
  });

  it('does not block reads for callers, and is found again', async () => {
    const server = await TestRedis.start();
    onTestFinished(() => server.close());
    const place = placeOf({ url: server.url, prefix: '{test:place}' });
    await server.stop('SIGKILL');
    const read = (): Promise<number | undefined> =>
      withReader(place, (store) => store.table<number>('a', 'json').get(['x']));
    await expect(read()).rejects.toMatchObject({
      code: 'upstream_unavailable',
      cause: { message: `no answer from ${new URL(server.url).host}` },
    });
    await server.start();
    expect(await read()).toBeUndefined();
  });

  it('is read again by a thread that stood still meanwhile, at the first try', async () => {
    const server = await TestRedis.start();
    onTestFinished(() => server.close());
    const jobs = startThreadJobs({ threadsMax: 1 });
    onTestFinished(() => jobs.stop());
    const order = { coin: 'BTC', metric: 'flowPressureScore', sinceMs: 0, prefix: '' };
    const folder = placeOf({ url: server.url, prefix: '{test:thread}' });
    const task: Task<object, unknown> = { name: 'printFlowHistory' };
    const read = (): Promise<unknown> => jobs.run(task, { ...order, folder });
    await read();
    await server.stop('SIGKILL');
    await server.start();
    await read();
    await server.stop('SIGKILL');
    await expect(read()).rejects.toThrow('The record cannot be read at the moment.');
    await server.start();
    await read();
  });

  it('takes what makes room when it is full, and nothing else', async () => {
    const server = await TestRedis.start();
    onTestFinished(() => server.close());
    const link = connectRedis(server.url);
    onTestFinished(() => link.disconnect());
    await isConnected(link);
    const store = new RedisStore({ link, prefix: '{test:full}', token: () => 1 });
    const table = store.table<number>('a', 'json');
    const old = table.puts([{ key: ['old'], value: 1 }]);
    await store.commit([old]);
    const published = (): Promise<void> => Promise.reject(new Error('nothing is published'));
    const leader = new StandbyStore({ store, clock: new ManualClock(0), published });
    await leader.lead();
    await link.config('SET', 'maxmemory', '1');
    await expect(store.commit([table.removes([['old']]), old])).rejects.toThrow('OOM');
    // Pruning must see current rows, and does not wait for unpublished ones.
    expect(await table.range({ limit: 9 })).toEqual([{ key: ['old'], value: 1 }]);
    await leader.commit([table.removes([['old']])]);
    expect(await table.get(['old'])).toBeUndefined();
    await link.config('SET', 'maxmemory', '0');
  });
});
