import type { SourceHealth } from '@crosstape/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../platform/system-clock.ts';
import {
  auditTopic,
  healthTopic,
  recordedMarketsTopic,
  type RecordedMarket,
  snapshotTopic,
  tradeTopic,
  usdRatesTopic,
} from '../topics.ts';
import { groupPrefix, printBatch, shardNumber, shardsOf } from './bus-wire.ts';
import { GatewayBus } from './gateway-bus.ts';
import { IngestBus } from './ingest-bus.ts';
import { isOfMarkets } from './joined-topics.ts';
import { connectRedis, disconnect, isConnected, type RedisLink } from './redis.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';
import { type VenueGroup, wholeGroup } from './venue-groups.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const until = (holds: () => boolean | Promise<boolean>): Promise<unknown> =>
  vi.waitUntil(holds, { timeout: 60_000, interval: 10 });
const bybit: VenueGroup = { name: 'bybit', venues: ['bybit'] };
const BYBIT = tradeTopic('bybit:BTCUSDT');
const OWN = tradeTopic('BTC');
const PATIENCE_MS = 120_000;
const rates = { atMs: 1, rates: {}, failing: {} };

/** Many times the heartbeat interval, because the heartbeats come from this busy process. */
const SILENT_MS = 8_000;

const closers: (() => Promise<void> | void)[] = [];
let prefixes = 0;

function health(source: string): SourceHealth {
  const [venue = ''] = source.split(':');
  return { source, venue, gives: [], status: 'ok', sinceMs: 0, messages: 0, refused: 0, reconnects: 0 };
}

function market(id: string): RecordedMarket {
  const [venue = '', symbol = ''] = id.split(':');
  const key = { id, venue, symbol, coin: 'BTC', kind: 'perp', quote: 'USDT' } as const;
  return { ...key, contractSize: 1, scale: 1, publisher: venue, isCounted: true };
}

function trade(tid: number, venue = 'bybit') {
  const ts = systemClock.now();
  return { venue, coin: 'BTC', side: 'buy', price: 1, size: 1, ts, venueTs: ts, tid } as never;
}

async function rig(url: string) {
  prefixes += 1;
  const prefix = `test:${prefixes}`;
  const connect = (): RedisLink => connectRedis(url);
  const link = connect();
  closers.push(() => disconnect(link));
  await isConnected(link);
  const shared = { clock: systemClock, log, prefix, link, connect };
  const groups: VenueGroup[] = [wholeGroup];
  const open = async (group?: string): Promise<{ bus: IngestBus; lost: () => boolean }> => {
    let isLost = false;
    const taken = new Set([usdRatesTopic.name]);
    const bus = await IngestBus.open({
      ...shared,
      isCopied: (topic) => topic.startsWith('trades:') || topic === recordedMarketsTopic.name,
      onLost: () => undefined,
      onFenced: () => {
        isLost = true;
      },
      group:
        group === undefined
          ? undefined
          : { name: group, isSent: isOfMarkets, isTaken: (topic) => taken.has(topic) },
    });
    closers.push(() => bus.stop());
    return { bus, lost: () => isLost };
  };
  return {
    groups,
    open,
    link,
    prefix,
    async gateway(): Promise<GatewayBus> {
      const bus = await GatewayBus.open({ ...shared, silentMs: SILENT_MS, readGroups: async () => groups });
      closers.push(() => bus.stop());
      return bus;
    },
  };
}

const tids = (bus: Pick<GatewayBus, 'log'>, topic = BYBIT): readonly number[] =>
  bus
    .log(topic)
    .since(0)
    .map(({ tid }) => tid);

/** The hours in a log that both groups write. */
const hours = (bus: Pick<GatewayBus, 'log'>): readonly number[] =>
  bus
    .log(auditTopic)
    .since(0)
    .map(({ hour }) => hour);

async function audit({ bus }: { readonly bus: IngestBus }, hour: number): Promise<void> {
  const ts = systemClock.now();
  bus.publish(auditTopic, { ts, hour } as never);
  await bus.flushed();
  await until(() => systemClock.now() > ts + 5);
}

describe.runIf(hasRedis)('the buses of two groups', { timeout: PATIENCE_MS }, () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await TestRedis.start();
  });
  afterAll(() => server.close());
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  it('are one for a gateway, which also finds a group that comes later, and leaves one that is gone', async () => {
    const { open, gateway, groups } = await rig(server.url);
    const [primary, other] = [await open(), await open('bybit')];
    await primary.bus.lead(1);
    const door = await gateway();
    expect(door.ingesters).toEqual([]);
    primary.bus.publish(recordedMarketsTopic, [market('okx:BTC-USDT-SWAP')]);
    primary.bus.publish(healthTopic('bybit'), [health('bybit:tickers'), health('bybit:instruments')]);
    primary.bus.publish(usdRatesTopic, rates);
    primary.bus.publish(OWN, trade(1, 'hyperliquid'));
    await other.bus.lead(2);
    other.bus.publish(recordedMarketsTopic, [market('bybit:BTCUSDT')]);
    const listed = { ...health('bybit:instruments'), messages: 7 };
    other.bus.publish(healthTopic('bybit'), [listed, health('bybit:market-trades')]);
    other.bus.publish(snapshotTopic('bybit', 'instruments'), {
      venue: 'bybit',
      rows: [],
      fetchedAtMs: 1,
      everyMs: 1,
    });
    other.bus.publish(BYBIT, trade(1));
    await until(() => tids(door, OWN).length === 1);
    expect(tids(door)).toEqual([]);
    groups.push(bybit);
    await until(() => (door.latest(recordedMarketsTopic)?.message.length ?? 0) === 2);
    await until(() => (door.latest(healthTopic('bybit'))?.message.length ?? 0) === 3);
    await until(() => tids(door).length === 1);
    const ids = door.latest(recordedMarketsTopic)?.message.map(({ id }) => id);
    expect(ids).toEqual(['okx:BTC-USDT-SWAP', 'bybit:BTCUSDT']);
    const healths = door.latest(healthTopic('bybit'))?.message ?? [];
    // The primary group wins where both have a source.
    expect(healths.map(({ source, messages }) => [source, messages])).toEqual([
      ['bybit:tickers', 0],
      ['bybit:instruments', 0],
      ['bybit:market-trades', 0],
    ]);
    // Topics other than its markets' stay local; those it needs from the primary group are available.
    expect(door.latest(snapshotTopic('bybit', 'instruments'))).toBeUndefined();
    await until(() => other.bus.latest(usdRatesTopic) !== undefined);
    expect(other.bus.latest(healthTopic('okx'))).toBeUndefined();
    await expect
      .poll(() => door.ingesters, { timeout: 60_000, interval: 20 })
      .toEqual([
        { venues: ['*'], status: 'ok' },
        { venues: ['bybit'], status: 'ok' },
      ]);
    await door.settled(BYBIT);

    groups.pop();
    await until(() => door.latest(recordedMarketsTopic)?.message.length === 1);
    expect(door.latest(healthTopic('bybit'))?.message.map(({ source }) => source)).toEqual([
      'bybit:tickers',
      'bybit:instruments',
    ]);
  });

  it('are taken over one by one: the leader before is refused, the other group is not, and nothing is said twice', async () => {
    const { open, gateway, groups } = await rig(server.url);
    groups.push(bybit);
    const primary = await open();
    const [first, standby] = [await open('bybit'), await open('bybit')];
    await primary.bus.lead(5);
    await first.bus.lead(6);
    const door = await gateway();
    const missed = vi.fn();
    door.onMissed(missed);
    for (const tid of [1, 2, 3]) first.bus.publish(BYBIT, trade(tid));
    first.bus.publish(recordedMarketsTopic, [market('bybit:BTCUSDT')]);
    await first.bus.flushed();
    await until(() => tids(standby.bus).length === 3);
    await standby.bus.lead(7);
    first.bus.publish(BYBIT, trade(99));
    primary.bus.publish(OWN, trade(1, 'hyperliquid'));
    await until(() => first.lost());
    standby.bus.publish(BYBIT, trade(4));
    await until(() => tids(door).length === 4 && tids(door, OWN).length === 1);
    expect(tids(door)).toEqual([1, 2, 3, 4]);
    expect(primary.lost()).toBe(false);
    expect(missed).not.toHaveBeenCalled();
    expect(door.latest(recordedMarketsTopic)?.message).toHaveLength(1);
  });

  it('become silent one by one: only the sources of that group are stale', async () => {
    const { open, gateway, groups } = await rig(server.url);
    groups.push(bybit);
    const [primary, other] = [await open(), await open('bybit')];
    await primary.bus.lead(1);
    await other.bus.lead(2);
    const door = await gateway();
    const states: boolean[] = [];
    door.markStaleWhileSilent(healthTopic('bybit'), (healths, _, group) =>
      healths.map((one) => ({ ...one, status: 'stale', error: `nothing from ${door.venuesOf(group)}` })),
    );
    door.onSilence((isSilent, group) => {
      if (group === 'bybit') states.push(isSilent);
    });
    primary.bus.publish(healthTopic('bybit'), [health('bybit:tickers')]);
    other.bus.publish(healthTopic('bybit'), [health('bybit:market-trades')]);
    const statuses = () =>
      door.latest(healthTopic('bybit'))?.message.map(({ status, error }) => [status, error]) ?? [];
    await until(() => statuses().length === 2);
    await other.bus.stop();
    await until(() => states.at(-1) === true);
    const poll = { timeout: 60_000, interval: 20 };
    await expect.poll(statuses, poll).toEqual([
      ['ok', undefined],
      ['stale', 'nothing from bybit'],
    ]);
    await expect.poll(() => door.ingesters.map(({ status }) => status), poll).toEqual(['ok', 'silent']);
    // A message of the other group does not make it current again.
    primary.bus.publish(healthTopic('bybit'), [health('bybit:tickers'), health('bybit:funding')]);
    await until(() => statuses().length === 3);
    expect(statuses()[2]).toEqual(['stale', 'nothing from bybit']);
    expect(states.at(-1)).toBe(true);
    const next = await open('bybit');
    await next.bus.lead(3);
    await until(() => states.at(-1) === false);
    await until(async () => {
      await door.republish();
      return statuses().every(([status]) => status === 'ok');
    });
    expect(statuses()).toHaveLength(3);
  });

  it('interrupt those alone that follow a market of a group which appears, once', async () => {
    const { open, gateway, groups } = await rig(server.url);
    const [primary, other] = [await open(), await open('bybit')];
    await primary.bus.lead(1);
    await other.bus.lead(2);
    const [followed, unfollowed] = [await gateway(), await gateway()];
    const listeners = [vi.fn(), vi.fn()] as const;
    followed.onMissed(listeners[0]);
    unfollowed.onMissed(listeners[1]);
    for (const topic of [OWN, BYBIT]) followed.subscribe(topic, () => undefined);
    unfollowed.subscribe(OWN, () => undefined);
    other.bus.publish(BYBIT, trade(1));
    groups.push(bybit);
    // Reading a log of the second group would subscribe to it.
    await until(() => tids(followed).length === 1 && unfollowed.ingesters.length === 2);
    expect(listeners[0]).toHaveBeenCalledTimes(1);
    const [isMissed] = listeners[0].mock.calls[0] as [(topic: string) => boolean];
    expect([BYBIT, OWN].map(({ name }) => isMissed(name))).toEqual([true, false]);
    expect(listeners[1]).not.toHaveBeenCalled();
  });

  it('have their logs in order of time, also where both add to one, and the other group has problem or is away', async () => {
    const { open, gateway, groups, link, prefix } = await rig(server.url);
    groups.push(bybit);
    const [primary, other] = [await open(), await open('bybit')];
    await primary.bus.lead(1);
    await other.bus.lead(2);
    for (const hour of [1, 3, 5]) {
      await audit(other, hour);
      await audit(primary, hour + 1);
    }
    const door = await gateway();
    expect(hours(door)).toEqual([1, 2, 3, 4, 5, 6]);
    // A group that was away resumes where it stopped.
    groups.pop();
    await until(() => door.ingesters.length === 0);
    await audit(other, 7);
    groups.push(bybit);
    await until(() => hours(door).length > 6);
    await audit(other, 8);
    await until(() => hours(door).includes(8));
    expect(hours(door)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);

    // One shard of the group, read after the shard of the log, cannot be read.
    const shards = shardsOf(groupPrefix(prefix, bybit.name));
    const broken = shards.findLast((_, i) => i !== shardNumber(auditTopic.name))?.log as string;
    const batch = printBatch({ atMs: systemClock.now(), isAfterLoss: false, parts: [] });
    await link.xadd(broken, '*', 'b', batch, '<', '');
    const id = (await link.xadd(broken, '*', 'b', '{', '<', '')) as string;
    const late = await gateway();
    await until(() => hours(late).length > 0);
    const received: number[] = [];
    late.subscribe(auditTopic, ({ hour }) => received.push(hour));
    const begun = hours(late);
    await audit(other, 9);
    await until(() => received.includes(9));
    await link.xdel(broken, id);
    await until(() => late.ingesters.length === 2);
    await audit(other, 10);
    await until(() => received.includes(10));
    const all = [...begun, ...received];
    expect(new Set(all).size, 'doubles').toBe(all.length);
    expect(all).toHaveLength(10);
    expect(hours(late)).toEqual(all);
  });

  it('leave no connection behind when a gateway cannot start', async () => {
    const { link, prefix } = await rig(server.url);
    const [shard] = shardsOf(prefix);
    await link.set(shard?.latest as string, 'no hash');
    const links: RedisLink[] = [];
    const connect = (): RedisLink => {
      const one = connectRedis(server.url);
      links.push(one);
      return one;
    };
    const opened = GatewayBus.open({ clock: systemClock, log, prefix, link, connect });
    await expect(opened).rejects.toThrow('WRONGTYPE');
    expect(links.length).toBeGreaterThan(0);
    await until(() => links.every(({ status }) => status === 'end'));
  });
});
