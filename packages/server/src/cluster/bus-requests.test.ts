import { expect, it, onTestFinished, vi } from 'vitest';
import type { LatestTopic } from '../platform/bus.ts';
import { BusRequests } from './bus-requests.ts';
import { IngestBus } from './ingest-bus.ts';
import { connectRedis, disconnect, isConnected, type RedisLink } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const demand: LatestTopic<string> = { name: 'demand', keep: { kind: 'latest' }, by: 'gateway' };

it.runIf(hasRedis)(
  'an ingester whose clock is ahead of the server receives the demands of callers',
  async () => {
    const server = await TestRedis.start();
    const connect = (): RedisLink => connectRedis(server.url);
    const link = connect();
    await isConnected(link);
    const shared = { link, connect, prefix: 'test', log, clock: systemClock };
    const requests = new BusRequests({ ...shared, onRequest: () => undefined });
    const idle = { isCopied: () => false, onLost: () => undefined, onFenced: () => undefined };
    const bus = await IngestBus.open({ ...shared, ...idle });
    onTestFinished(async () => {
      await Promise.all([requests.stop(), bus.stop()]);
      disconnect(link);
      await server.close();
    });
    const received: string[] = [];
    bus.subscribe(demand, (one) => received.push(one));
    const ahead = vi.spyOn(systemClock, 'now').mockReturnValue(systemClock.now() + 3_600_000);
    await bus.lead(1);
    ahead.mockRestore();
    requests.send(demand, 'BTC');
    await vi.waitUntil(() => received.length === 1, { timeout: 10_000 });
    expect(received).toEqual(['BTC']);
  },
);
