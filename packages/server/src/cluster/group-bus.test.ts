import type { SourceHealth } from '@crosstape/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../platform/system-clock.ts';
import {
  healthTopic,
  recordedMarketsTopic,
  type RecordedMarket,
  snapshotTopic,
  tradeTopic,
  usdRatesTopic,
} from '../topics.ts';
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
const rates = { atMs: 1, rates: {}, failing: {} };

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
    async gateway(): Promise<GatewayBus> {
      const bus = await GatewayBus.open({ ...shared, silentMs: 1_500, readGroups: async () => groups });
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

describe.runIf(hasRedis)('the buses of two groups', () => {
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
    // The primary group's word counts where both have a source.
    expect(healths.map(({ source, messages }) => [source, messages])).toEqual([
      ['bybit:tickers', 0],
      ['bybit:instruments', 0],
      ['bybit:market-trades', 0],
    ]);
    // What is not of its markets stays with it, and what it needs of the primary's is there.
    expect(door.latest(snapshotTopic('bybit', 'instruments'))).toBeUndefined();
    await until(() => other.bus.latest(usdRatesTopic) !== undefined);
    expect(other.bus.latest(healthTopic('okx'))).toBeUndefined();
    expect(door.ingesters).toEqual([
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
    const said: string[] = [];
    door.markStaleWhileSilent(healthTopic('bybit'), (healths, _, group) =>
      healths.map((one) => ({ ...one, status: 'stale', error: `nothing from ${door.venuesOf(group)}` })),
    );
    door.onSilence((isSilent, group) => said.push(`${group} ${isSilent}`));
    primary.bus.publish(healthTopic('bybit'), [health('bybit:tickers')]);
    other.bus.publish(healthTopic('bybit'), [health('bybit:market-trades')]);
    const statuses = () =>
      door.latest(healthTopic('bybit'))?.message.map(({ status, error }) => [status, error]) ?? [];
    await until(() => statuses().length === 2);
    await other.bus.stop();
    await until(() => said.length === 1);
    expect(said).toEqual(['bybit true']);
    expect(statuses()).toEqual([
      ['ok', undefined],
      ['stale', 'nothing from bybit'],
    ]);
    expect(door.isSilent).toBe(false);
    expect(door.ingesters.map(({ status }) => status)).toEqual(['ok', 'silent']);
    // A message of the other group does not make it well again.
    primary.bus.publish(healthTopic('bybit'), [health('bybit:tickers'), health('bybit:funding')]);
    await until(() => statuses().length === 3);
    expect(statuses()[2]).toEqual(['stale', 'nothing from bybit']);
    const next = await open('bybit');
    await next.bus.lead(3);
    await until(() => said.length === 2);
    await door.republish();
    expect(statuses().map(([status]) => status)).toEqual(['ok', 'ok', 'ok']);
  });
});
