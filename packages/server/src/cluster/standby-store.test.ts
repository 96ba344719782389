import { ManualClock } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import { openTestLink } from './testing/redis-link.ts';
import { hasRedis } from './testing/redis-server.ts';
import { RedisStore } from './redis-store.ts';
import { StandbyStore, type StandbyStoreOptions } from './standby-store.ts';
import type { Change } from '../store/store.ts';

const put = (n: number): Change => ({ table: 't', put: [{ key: [n], value: n }], remove: [] });
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

/** A value that no store accepts. */
const UNWRITABLE = -1;

/** A standby over a store whose commits wait for `write`. */
function standbyOver(write: (changes: readonly Change[]) => Promise<void>, heldMax?: number) {
  const clock = new ManualClock(0);
  /** The numbers that were put, in order. */
  const written: number[] = [];
  const commit = async (changes: readonly Change[]): Promise<void> => {
    await write(changes);
    written.push(...changes.flatMap((change) => change.put.map(({ value }) => value as number)));
  };
  const store: StandbyStoreOptions['store'] = {
    check: (changes) => {
      if (changes.some(({ put: rows }) => rows.some(({ value }) => value === UNWRITABLE)))
        throw new RangeError('a key of too many bytes');
    },
    commit,
    commitNew: commit,
    probe: async () => undefined,
    close: async () => undefined,
    table: () => {
      throw new Error('nothing is read here');
    },
  };
  const published = async (): Promise<void> => undefined;
  const standby = new StandbyStore({ store, clock, published, ...(heldMax !== undefined && { heldMax }) });
  return { standby, clock, written };
}

it('holds nothing that could never be written, and says so', async () => {
  const { standby, written } = standbyOver(async () => undefined);
  await expect(standby.commit([put(UNWRITABLE)])).rejects.toThrow('too many bytes');
  await standby.commit([put(1)]);
  await standby.lead();
  expect(written).toEqual([1]);
});

it('on becoming leader, writes all buffered commits, including those that arrive meanwhile', async () => {
  const waiting: (() => void)[] = [];
  const { standby, clock, written } = standbyOver(() => new Promise((resolve) => waiting.push(resolve)));
  for (const n of upTo(3)) await standby.commit([put(n)]);
  const leading = standby.lead();
  // Each commit adds one, and by then the first are older than a standby keeps them.
  for (const n of [3, 4, 5]) {
    await vi.waitUntil(() => waiting.length > 0, { interval: 1 });
    clock.advance(40_000);
    await standby.commit([put(n)]);
    waiting.shift()?.();
  }
  let isLeading = false;
  void leading.then(() => (isLeading = true));
  await vi.waitUntil(
    () => {
      waiting.shift()?.();
      return isLeading;
    },
    { interval: 1 },
  );
  expect(written).toEqual(upTo(6));
  const direct = standby.commit([put(6)]);
  await vi.waitUntil(() => waiting.length > 0, { interval: 1 });
  waiting.shift()?.();
  await direct;
  expect(written).toEqual(upTo(7));
});

it('loses nothing by a try to lead that fails, and takes no more than it can hold', async () => {
  let isAway = true;
  const { standby, clock, written } = standbyOver(async (changes) => {
    if (isAway && changes.length > 0) throw new Error('the server is away');
  }, 3);
  for (const n of upTo(4)) await standby.commit([put(n)]);
  clock.advance(59_000);
  await standby.commit([put(4)]);
  await expect(standby.lead()).rejects.toThrow('the server is away');
  clock.advance(59_000);
  await expect(standby.commit([put(5)])).rejects.toThrow('too many writes are buffered on standby');
  isAway = false;
  await standby.lead();
  expect(written).toEqual([2, 3, 4]);
});

it('keeps a minute while it stands by', async () => {
  const { standby, clock, written } = standbyOver(async () => undefined);
  await standby.commit([put(0)]);
  clock.advance(61_000);
  await standby.commit([put(1)]);
  await standby.lead();
  expect(written).toEqual([1]);
});

it.runIf(hasRedis)(
  'leads a server without room, makes some, and writes what it held when there is',
  async () => {
    const link = await openTestLink();
    const store = new RedisStore({ link, prefix: '{test:full}', token: () => 1 });
    const table = store.table<number>('a', 'json');
    const keys = async (): Promise<unknown> => (await table.keys({ limit: 9 })).flat();
    const puts = (key: string): Change => table.puts([{ key: [key], value: 1 }]);
    await store.commit([puts('old'), puts('older')]);
    const published = async (): Promise<void> => undefined;
    const standby = new StandbyStore({ store, clock: new ManualClock(0), published });
    await standby.commit([puts('a'), puts('b')]);
    await standby.commit([table.removes([['a'], ['older']])]);
    await standby.commit([puts('c')]);
    await link.config('SET', 'maxmemory', '1');
    await standby.lead();
    expect(await keys()).toEqual(['old']);
    await standby.commit([table.removes([['old'], ['b']])]);
    expect(await keys()).toEqual([]);
    await expect(standby.commit([puts('d')])).rejects.toThrow('OOM');
    await link.config('SET', 'maxmemory', '0');
    await Promise.all([standby.commit([puts('d')]), standby.commit([puts('e')])]);
    expect(await keys()).toEqual(['c', 'd', 'e']);
  },
);
