import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { shardsOf } from './bus-wire.ts';
import { Lease } from './lease.ts';
import { connectRedis, disconnect, isConnected, type RedisLink } from './redis.ts';
import { fenceOf } from './redis-store.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';
import { readGroups, replaceGroup, type VenueGroup, venuesFree, wholeGroup } from './venue-groups.ts';

const PREFIX = '{lease}';
/** Short, so that a group that is gone is soon forgotten. */
const KEPT_MS = 300;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const until = (holds: () => boolean | Promise<boolean>): Promise<unknown> =>
  vi.waitUntil(holds, { timeout: 60_000, interval: 10 });
const primary: VenueGroup = { name: 'primary', venues: ['hyperliquid'] };
const bybit: VenueGroup = { name: 'bybit', venues: ['bybit'] };
const both: VenueGroup = { name: 'bybit+okx', venues: ['bybit', 'okx'] };

describe.runIf(hasRedis)('groups of venues', () => {
  const closers: (() => Promise<void> | void)[] = [];
  let server: TestRedis;
  let link: RedisLink;
  let events: string[];
  let tokens: number[];
  let errors: string[];
  beforeEach(async () => {
    server = await TestRedis.start();
    closers.push(() => server.close());
    link = connectRedis(server.url);
    closers.push(() => disconnect(link));
    await isConnected(link);
    [events, tokens, errors] = [[], [], []];
  });
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  function ask(holder: string, group: VenueGroup, leaseMs = 3_000): Lease {
    const lease = new Lease({
      link,
      prefix: PREFIX,
      holder,
      group,
      leaseMs,
      keptMs: KEPT_MS,
      log: { ...silent, error: (_, text) => void errors.push(text) },
      onGained: (token, replaced) => {
        events.push([holder, ...replaced].join(' replaces '));
        tokens.push(token);
      },
      onLost: () => void events.push(`${holder} lost`),
    });
    closers.push(() => lease.stop());
    return lease;
  }
  const free = (group: VenueGroup): Promise<void> =>
    venuesFree(group, { link, prefix: PREFIX, log: silent, keptMs: KEPT_MS });

  it('are led at the same time, under growing tokens, and only a standby of the same takes over', async () => {
    const a = ask('a', primary);
    await until(() => events.length === 1);
    const b = ask('b', bybit);
    await until(() => events.length === 2);
    ask('a2', primary);
    ask('b2', bybit);
    await b.stop();
    await until(() => events.length === 3);
    await a.stop();
    await until(() => events.length === 4);
    expect(events).toEqual(['a', 'b', 'b2', 'a2']);
    expect(tokens).toEqual(tokens.toSorted((one, other) => one - other));
    expect(new Set(tokens).size).toBe(4);
    const groups = await readGroups(link, PREFIX);
    expect(new Map(groups.map(({ name, isLed }) => [name, isLed]))).toEqual(
      new Map([
        ['bybit', true],
        ['primary', true],
      ]),
    );
  });

  it('have no venue in common: the second is refused, in words that name both', async () => {
    ask('a', bybit);
    await until(() => events.length === 1);
    await expect(free(both)).rejects.toThrow(/record bybit, okx, and another group records bybit:/);
    await expect(free(wholeGroup)).rejects.toThrow(/record every venue, and another group records bybit:/);
    await free(primary);
    await free(bybit);
    // As if both had been started at the same moment.
    ask('b', both);
    ask('c', primary);
    await until(() => events.length === 2 && errors.length === 1);
    expect(events).toEqual(['a', 'c']);
    expect(errors[0]).toMatch(/bybit, okx.*another group records bybit:/);
  });

  it('take the venues of one that is gone, whose leader is refused should it come back', async () => {
    const a = ask('a', both, 200);
    await until(() => events.length === 1);
    await a.stop();
    // For a while its own standby might take over.
    const freed = free(bybit);
    ask('b', bybit);
    await until(() => events.length === 2);
    await freed;
    expect(events[1]).toBe('b replaces bybit+okx');
    const [old, now] = tokens as [number, number];
    expect(now).toBeGreaterThan(old);
    const prefixes = { leasePrefix: PREFIX, busPrefix: 'bus', storePrefix: '{store}' };
    await replaceGroup('bybit+okx', { ...prefixes, link, token: now, keptMs: KEPT_MS });
    const fences = shardsOf('bus:group:bybit+okx').map(({ fence }) => fence);
    for (const key of [...fences, fenceOf('{store}', 'bybit+okx')])
      expect(Number(await link.get(key))).toBe(now);
    expect((await readGroups(link, PREFIX)).map(({ name }) => name)).toEqual(['bybit']);
    // Its old lease has expired and is free; it is refused all the same.
    await expect(free(both)).rejects.toThrow(/another group records bybit:/);
  });

  it('log an error once when a standby has other venues than its leader', async () => {
    ask('a', primary);
    await until(() => events.length === 1);
    ask('same', primary);
    const other = ask('other', { ...primary, venues: ['hyperliquid', 'bybit'] });
    await until(() => errors.length === 1);
    expect(errors[0]).toMatch(
      /record hyperliquid, bybit, and its leader records hyperliquid:.*same --venues/,
    );
    await other.stop();
    ask('whole', wholeGroup);
    await until(() => errors.length === 2);
    expect(errors[1]).toMatch(/record every venue, and its leader records hyperliquid:/);
    expect(events).toEqual(['a']);
  });

  it('wait for an ingester of an earlier release, which names no venues and records all', async () => {
    await link.set(`${PREFIX}:holder`, 'old', 'PX', 60_000);
    await expect(free(bybit)).rejects.toThrow(/record bybit, and another group records every venue:/);
    ask('a', bybit);
    await until(() => errors.length === 1);
    expect(events).toEqual([]);
    await link.del(`${PREFIX}:holder`);
    await until(() => events.length === 1);
  });
});
