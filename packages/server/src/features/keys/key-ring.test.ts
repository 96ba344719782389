import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tiers } from '../../platform/key-store.ts';
import { isKeyText, makeKey } from '../../platform/key-text.ts';
import type { Log } from '../../platform/log.ts';
import { systemSecretBytes } from '../../platform/random.ts';
import { KeyExpiry } from './key-expiry.ts';
import { KeyRing, type KeyRingOptions } from './key-ring.ts';
import { openKeySecret } from './key-secret.ts';
import { KeyTable } from './key-table.ts';
import { KeyUsage } from './key-usage.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import type { Key } from '../../store/store.ts';
import { type Keys, openKeys } from './open-keys.ts';

const START_MS = 1_790_000_000_000;
const log: Log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };

let data: string;
let clock: ManualClock;
let keys: Keys | undefined;

async function open(): Promise<Keys> {
  keys = await openKeys({ data, clock, log, writer: 'live' });
  return keys;
}

async function close(): Promise<void> {
  await keys?.close();
  keys = undefined;
}

/** As in another process. */
function otherRing(
  { table, usage }: Keys,
  limits: Partial<Pick<KeyRingOptions, 'keysMax' | 'issuedMax'>> = {},
): KeyRing {
  const expiry = new KeyExpiry({ clock, table, usage, log });
  return new KeyRing({ clock, table, usage, expiry, secretBytes: systemSecretBytes, ...limits });
}

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'crosstape-keys-'));
  clock = new ManualClock(START_MS);
});
afterEach(async () => {
  await close();
  rmSync(data, { recursive: true });
});

describe('a key', () => {
  it.each(tiers)('of tier %s is known from its creation on, also after a restart', async (tier) => {
    const { ring } = await open();
    const { text, record } = await ring.create(tier, 'a label');
    expect(isKeyText(text)).toBe(true);
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      tier,
      createdAtMs: START_MS,
      label: 'a label',
    });
    const known = { id: record.id, tier };
    expect(await ring.find(text)).toEqual(known);
    await close();
    expect(await (await open()).ring.find(text)).toEqual(known);
  });

  it('is unknown when it was never given out, has a typing error, or is none', async () => {
    const { ring } = await open();
    const { text } = await ring.create('free');
    for (const other of [
      makeKey('free', systemSecretBytes),
      `${text}x`,
      text.toLowerCase(),
      '',
      'x'.repeat(9_000),
    ]) {
      expect(await ring.find(other)).toBeUndefined();
      expect(ring.recall(other)).toBeUndefined();
    }
  });

  it('is nowhere on disk, neither in whole nor in part, and the secret is its owner’s alone', async () => {
    const { ring, folder } = await open();
    const { text } = await ring.create('pro');
    await close();
    for (const file of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, file)).toString('latin1');
      expect(bytes).not.toContain(text.slice(7, 19));
      expect(bytes).not.toContain(text.slice(-16));
    }
    expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600);
  });

  it('is cached for 5 s, and then looked up again', async () => {
    const { ring } = await open();
    const { text, record } = await ring.create('free');
    expect(ring.recall(text)).toBeUndefined();
    await ring.find(text);
    clock.advance(4_999);
    expect(ring.recall(text)).toEqual({ id: record.id, tier: 'free' });
    clock.advance(1);
    expect(ring.recall(text)).toBeUndefined();
  });

  it('is unknown at once where it is revoked, and within 10 s elsewhere', async () => {
    const all = await open();
    const [here, there] = [all.ring, otherRing(all)];
    const { text, record } = await here.create('free');
    for (const ring of [here, there]) expect(await ring.find(text)).toMatchObject({ tier: 'free' });
    await here.revoke(record);
    expect(here.recall(text)).toBeUndefined();
    expect(await here.find(text)).toBeUndefined();
    expect(there.recall(text)).toBeDefined();
    clock.advance(10_000);
    expect(there.recall(text)).toBeUndefined();
    expect(await there.find(text)).toBeUndefined();
  });

  it('is looked up again after the clock was set back, so that a revocation shows within 10 s all the same', async () => {
    const { ring } = await open();
    const { text } = await ring.create('free');
    clock.advance(8 * DAY_MS);
    await ring.find(text);
    expect(ring.recall(text)).toBeDefined();
    vi.spyOn(clock, 'now').mockReturnValue(START_MS);
    expect(ring.recall(text)).toBeUndefined();
    vi.restoreAllMocks();
  });

  it('stays revoked since its first revocation, despite later writes', async () => {
    const { ring, table } = await open();
    const { text, record } = await ring.create('free');
    await table.revoke(record.id, 5);
    await table.setTier(record.id, 'pro');
    await table.revoke(record.id, 6);
    expect(await table.find(text)).toMatchObject({ tier: 'pro', revokedAtMs: 5 });
    expect(await ring.find(text)).toBeUndefined();
  });

  it('takes a new tier despite the tier in its text', async () => {
    const { ring, table } = await open();
    const { text, record } = await ring.create('free');
    await table.setTier(record.id, 'pro');
    expect(await ring.find(text)).toEqual({ id: record.id, tier: 'pro' });
    await expect(table.setTier('0'.repeat(16), 'pro')).rejects.toThrow('there is no key');
  });

  it('is neither known nor unknown while the store cannot be read', async () => {
    const { ring, table } = await open();
    const { text } = await ring.create('free');
    vi.spyOn(table, 'find').mockRejectedValueOnce(new Error('gone'));
    await expect(ring.find(text)).rejects.toThrow('gone');
    expect(await ring.find(text)).toMatchObject({ tier: 'free' });
  });

  it('is refused when there are too many', async () => {
    const all = await open();
    const ring = otherRing(all, { keysMax: 2 });
    await Promise.all([ring.createForCaller('free'), ring.createForCaller('free')]);
    await expect(ring.createForCaller('free')).rejects.toMatchObject({ code: 'overloaded' });
    expect(await all.table.size()).toBe(2);
    await expect(otherRing(all, { keysMax: 2 }).createForCaller('free')).rejects.toMatchObject({
      code: 'overloaded',
    });
  });

  it('can be created by the operator whatever the number of keys', async () => {
    const all = await open();
    const ring = otherRing(all, { keysMax: 1 });
    await ring.createForCaller('free');
    const { text } = await ring.create('pro');
    expect(await ring.find(text)).toMatchObject({ tier: 'pro' });
  });

  it('makes room for others when a caller made it and has not used it for 90 days', async () => {
    const before = await open();
    const [first, used, given] = [
      await before.ring.createForCaller('free'),
      await before.ring.createForCaller('free'),
      await before.ring.create('free'),
    ];
    await before.ring.revoke(first.record);
    for (const { record } of [first, used]) before.ring.count(record);
    await close();
    const isFull = { code: 'overloaded' };
    clock = new ManualClock(START_MS + 45 * DAY_MS);
    const meanwhile = await open();
    meanwhile.ring.count(used.record);
    await expect(otherRing(meanwhile, { keysMax: 3 }).createForCaller('free')).rejects.toMatchObject(isFull);
    await close();
    clock = new ManualClock(START_MS + 90 * DAY_MS + 1);
    const all = await open();
    const ring = otherRing(all, { keysMax: 3 });
    await ring.createForCaller('free');
    await expect(ring.createForCaller('free')).rejects.toMatchObject(isFull);
    expect(await all.table.get(first.record.id)).toBeUndefined();
    for (const { record } of [used, given]) expect(await all.table.get(record.id)).toMatchObject(record);
  });

  it('is one of a number that all callers together make in a day, over restarts and processes', async () => {
    const all = await open();
    const ring = otherRing(all, { issuedMax: 2 });
    await ring.createForCaller('free');
    clock.advance(3_600_000);
    await ring.createForCaller('free');
    await expect(otherRing(all, { issuedMax: 2 }).createForCaller('free')).rejects.toMatchObject({
      code: 'overloaded',
      details: { retryAfterSeconds: 22 * 3_600 },
    });
    // The operator is not bound by it.
    await ring.create('pro');
    clock.advance(22 * 3_600_000 + 1);
    await ring.createForCaller('free');
  });
});

it('is not made beyond that number by callers at the same time', async () => {
  const ring = otherRing(await open(), { issuedMax: 5 });
  const asked = Array.from({ length: 12 }, () => ring.createForCaller('free'));
  const settled = await Promise.allSettled(asked);
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
});

it('is one of a thousand a day by default', async () => {
  const { ring, table } = await open();
  const issued = vi.spyOn(table, 'issuedSince');
  const times = Array.from({ length: 1_000 }, () => clock.now());
  issued.mockResolvedValue(times.slice(1));
  await ring.createForCaller('free');
  issued.mockResolvedValue(times);
  await expect(ring.createForCaller('free')).rejects.toMatchObject({ code: 'overloaded' });
});

describe('a key that a caller made', () => {
  it('expires within a day unless it was used, also when a process before made it', async () => {
    const first = await open();
    const [unused, used, raised] = [
      await first.ring.createForCaller('free'),
      await first.ring.createForCaller('free'),
      await first.ring.createForCaller('free'),
    ];
    const given = await first.ring.create('free');
    first.ring.count(used.record);
    await first.table.setTier(raised.record.id, 'pro');
    clock.advance(DAY_MS / 2);
    await close();
    const { ring, table } = await open();
    expect(await ring.find(unused.text)).toBeDefined();
    clock.advance(DAY_MS / 2);
    await vi.waitFor(async () => expect(await ring.find(unused.text)).toBeUndefined());
    for (const { text } of [used, raised, given]) expect(await ring.find(text)).toBeDefined();
    expect(await table.size()).toBe(3);
    expect(await table.onTrialBefore(clock.now(), 10)).toEqual([]);
  });

  it('stays while unused keys cannot be removed, and goes when they can', async () => {
    const { ring, table } = await open();
    const { text } = await ring.createForCaller('free');
    const end = vi.spyOn(table, 'endTrial').mockRejectedValueOnce(new Error('gone'));
    clock.advance(DAY_MS);
    await vi.waitFor(() => expect(end).toHaveBeenCalledTimes(2));
    await vi.waitFor(async () => expect(await ring.find(text)).toBeUndefined());
    expect(log.warn).toHaveBeenCalledWith(expect.anything(), 'unused keys cannot be removed');
  });
});

describe('a key of the same name as another', () => {
  it('is neither taken for it nor put in its place', async () => {
    const store = new LmdbStore(data);
    const table = await KeyTable.open(store, (text) => `${'0'.repeat(16)}${text.padEnd(48)}`);
    const { id } = await table.add('one', { tier: 'pro', createdAtMs: START_MS });
    expect(await table.find('one')).toMatchObject({ id, tier: 'pro' });
    expect(await table.find('two')).toBeUndefined();
    await expect(table.add('two', { tier: 'free', createdAtMs: START_MS })).rejects.toThrow(id);
    await store.close();
  });
});

describe('the folder of keys', () => {
  it('is refused with another secret, a damaged one, and one that others can read', async () => {
    const { folder } = await open();
    await close();
    const secret = join(folder, 'secret');
    writeFileSync(secret, `${'ab'.repeat(32)}\n`);
    await expect(open()).rejects.toThrow('a different secret');
    writeFileSync(secret, 'abc');
    await expect(open()).rejects.toThrow('damaged');
    writeFileSync(secret, `${'ab'.repeat(32)}\n`);
    chmodSync(secret, 0o644);
    await expect(open()).rejects.toThrow('chmod 600');
  });

  it('has one secret, however many make it at the same time', async () => {
    const hashes = await Promise.all(Array.from({ length: 8 }, () => openKeySecret(data, systemSecretBytes)));
    expect(new Set(hashes.map((hash) => hash('x'))).size).toBe(1);
    expect(readdirSync(data)).toEqual(['secret']);
  });
});

describe('the uses of a key', () => {
  const use = (usage: KeyUsage, times: number): void => {
    for (let i = 0; i < times; i += 1) usage.count('a');
  };

  it('are counted for the day and in all, before and after they are written, and over restarts', async () => {
    const { usage } = await open();
    expect(await usage.of('a')).toEqual({ today: 0, total: 0 });
    use(usage, 3);
    expect(await usage.of('a')).toEqual({ today: 3, total: 3, lastUsedAtMs: START_MS });
    clock.advance(5_000);
    use(usage, 1);
    expect(await usage.of('a')).toEqual({ today: 4, total: 4, lastUsedAtMs: START_MS + 5_000 });
    await close();
    const again = await open();
    use(again.usage, 1);
    clock.advance(DAY_MS);
    use(again.usage, 2);
    const expected = { today: 2, total: 7, lastUsedAtMs: START_MS + 5_000 + DAY_MS };
    expect(await again.usage.of('a')).toEqual(expected);
    await again.usage.write();
    expect(await again.usage.of('a')).toEqual(expected);
    expect(await again.usage.of('b')).toEqual({ today: 0, total: 0 });
  });

  it('add up over all processes that count them', async () => {
    const store = new LmdbStore(data);
    const [one, other] = ['live', 'sim/1'].map((writer) => new KeyUsage({ clock, store, log, writer })) as [
      KeyUsage,
      KeyUsage,
    ];
    use(one, 2);
    use(other, 3);
    await Promise.all([one.write(), other.write()]);
    expect(await one.of('a')).toMatchObject({ today: 5, total: 5 });
    expect((await other.all(10)).get('a')).toMatchObject({ today: 5, total: 5 });
    await store.close();
  });

  it('add up however many have counted them', async () => {
    const store = new LmdbStore(data);
    const processes = Array.from(
      { length: 201 },
      (_, i) => new KeyUsage({ clock, store, log, writer: `container ${i}:8080` }),
    );
    for (const usage of processes) use(usage, 1);
    await Promise.all(processes.map((usage) => usage.stop()));
    expect(await processes[0]?.of('a')).toMatchObject({ today: 201, total: 201 });
    expect(await processes[0]?.of('')).toMatchObject({ total: 0 });
    await store.close();
  });

  it('are not lost while rows are read', async () => {
    const store = new LmdbStore(data);
    const rows = store.table<object>('key-usage', 'json');
    const get = rows.get.bind(rows);
    // Like Redis: one after the other.
    let answerLast = (): void => undefined;
    const last = new Promise<void>((resolve) => {
      answerLast = resolve;
    });
    const slow = async (key: Key): Promise<object | undefined> => {
      if (key[0] === 'b') await last;
      return get(key);
    };
    vi.spyOn(store, 'table').mockReturnValue(Object.assign(rows, { get: slow }) as never);
    const usage = new KeyUsage({ clock, store, log, writer: 'live' });
    usage.count('a');
    usage.count('b');
    const written = usage.write();
    await get(['a', 'live']);
    use(usage, 1);
    answerLast();
    await written;
    expect(await usage.of('a')).toMatchObject({ total: 2 });
    await usage.stop();
    await store.close();
  });

  it('are not lost when they cannot be written for a while', async () => {
    const store = new LmdbStore(data);
    const usage = new KeyUsage({ clock, store, log, writer: 'live' });
    const commit = vi.spyOn(store, 'commit').mockImplementationOnce(async () => {
      use(usage, 1);
      throw new Error('no space left');
    });
    use(usage, 2);
    await usage.write();
    expect(await usage.of('a')).toMatchObject({ today: 3, total: 3 });
    expect(log.warn).toHaveBeenCalledWith(expect.anything(), expect.stringContaining('they wait'));
    await usage.stop();
    expect(commit).toHaveBeenCalledTimes(2);
    expect(await usage.of('a')).toMatchObject({ today: 3, total: 3 });
    await store.close();
  });
});
