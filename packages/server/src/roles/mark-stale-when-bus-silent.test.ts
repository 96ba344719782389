import type { SourceHealth } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLiquidations } from '../features/liquidations/liquidation-reader.ts';
import { FeedStates } from '../health/feed-states.ts';
import { GatewayBus } from '../cluster/gateway-bus.ts';
import { IngestBus } from '../cluster/ingest-bus.ts';
import { shardNumber, shardsOf } from '../cluster/bus-wire.ts';
import { connectRedis, isConnected } from '../cluster/redis.ts';
import { systemClock } from '../platform/system-clock.ts';
import { hasRedis, TestRedis } from '../cluster/testing/redis-server.ts';
import { LiquidationTable } from '../features/liquidations/liquidation-table.ts';
import { RedisStore } from '../cluster/redis-store.ts';
import { healthTopic, connectedVenuesTopic } from '../topics.ts';
import { markStaleWhenBusSilent } from './mark-stale-when-bus-silent.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const until = (holds: () => boolean): Promise<unknown> => vi.waitUntil(holds, { timeout: 30_000 });

const health: SourceHealth = {
  venue: 'okx',
  source: 'okx:liquidations',
  gives: ['liquidations'],
  status: 'ok',
  sinceMs: 1,
  messages: 1,
  refused: 0,
  reconnects: 0,
};

describe.runIf(hasRedis)('a gateway on a silent bus', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await TestRedis.start();
  });
  afterAll(() => server.close());

  it('calls nothing fresh that comes over other shards while one of them is silent', async () => {
    const connect = () => connectRedis(server.url, { commandMsMax: 1_500 });
    const link = connect();
    await isConnected(link);
    const shared = { clock: systemClock, log, prefix: 'shards', link, connect };
    const idle = { isCopied: () => false, onLost: () => undefined, onFenced: () => undefined };
    const ingester = await IngestBus.open({ ...shared, ...idle });
    await ingester.lead(1);
    const bus = await GatewayBus.open({ ...shared, silentMs: 1_500 });
    markStaleWhenBusSilent({ bus, log, publishers: [{ id: 'okx' }] });
    const newest = (): SourceHealth | undefined => bus.latest(healthTopic('okx'))?.message[0];
    const received: (string | undefined)[] = [];
    bus.subscribe(healthTopic('okx'), ([one]) => received.push(one?.status));
    ingester.publish(healthTopic('okx'), [health]);
    await until(() => newest()?.status === 'ok');

    // One shard refuses this ingester's messages; all others accept them.
    const other = (shardNumber(healthTopic('okx').name) + 1) % shardsOf('shards').length;
    await link.set(shardsOf('shards')[other]?.fence as string, 2);
    await until(() => bus.isSilent);
    expect(newest()?.status).toBe('stale');
    ingester.publish(healthTopic('okx'), [{ ...health, messages: 2 }]);
    await until(() => newest()?.messages === 2);
    expect(newest()?.status).toBe('stale');
    expect(received).toEqual(['ok', 'stale', 'stale']);

    const next = await IngestBus.open({ ...shared, ...idle });
    await next.lead(3);
    await until(() => newest()?.status === 'ok');
    expect(newest()?.messages).toBe(2);
    await ingester.stop();
    await next.stop();
    await bus.stop();
    link.disconnect();
  });

  it('marks every venue as disconnected, and as connected again once the bus delivers', async () => {
    const connect = () => connectRedis(server.url, { commandMsMax: 1_500 });
    const link = connect();
    await isConnected(link);
    const shared = { clock: systemClock, log, prefix: 'test', link, connect };
    const idle = { isCopied: () => false, onLost: () => undefined, onFenced: () => undefined };
    const ingester = await IngestBus.open({ ...shared, ...idle });
    await ingester.lead(1);
    const bus = await GatewayBus.open({ ...shared, silentMs: 1_500 });
    markStaleWhenBusSilent({ bus, log, publishers: [{ id: 'okx' }] });
    const liquidations = await openLiquidations({
      clock: systemClock,
      bus,
      log,
      table: new LiquidationTable(new RedisStore({ link, prefix: '{test:store}' })),
    });
    const fromMs = systemClock.now() - 60_000;
    const states: string[] = [];
    const groups = [[{ publisher: 'okx', gives: 'liquidations' }]];
    const watch = new FeedStates(bus, systemClock).watch(groups, ({ state }) => states.push(state));
    expect(watch.current.state).toBe('down');
    ingester.publish(healthTopic('okx'), [health]);
    ingester.publish(connectedVenuesTopic, [{ venue: 'okx', past: [], openSinceMs: fromMs }]);
    const isVenueConnected = (): boolean => liquidations.connections()[0]?.isConnected ?? false;
    const status = (): string | undefined => bus.latest(healthTopic('okx'))?.message[0]?.status;
    await until(() => isVenueConnected() && status() === 'ok');
    expect(states).toEqual(['live']);

    await server.stop('SIGKILL');
    const goneMs = systemClock.now();
    await until(() => bus.isSilent);
    expect([isVenueConnected(), status()]).toEqual([false, 'stale']);
    expect(states).toEqual(['live', 'stale']);
    const since = bus.latest(healthTopic('okx'))?.message[0]?.failingSinceMs ?? 0;
    expect(since).toBeGreaterThan(fromMs);
    expect(since).toBeLessThanOrEqual(goneMs + 100);
    const [okx] = liquidations.connections();
    expect(okx?.spans).toMatchObject([{ venue: 'okx', from: fromMs }]);
    expect(okx?.spans[0]?.to).toBeLessThanOrEqual(goneMs + 100);

    await server.start();
    await until(() => isVenueConnected() && status() === 'ok');
    expect(liquidations.connections()[0]?.spans).toHaveLength(1);
    expect(states).toEqual(['live', 'stale', 'live']);
    await ingester.stop();
    await bus.stop();
    link.disconnect();
  });
});
