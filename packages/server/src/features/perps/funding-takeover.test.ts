import { type Funding, ManualClock } from '@crosstape/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { GatewayBus } from '../../cluster/gateway-bus.ts';
import { IngestBus } from '../../cluster/ingest-bus.ts';
import { connectRedis, disconnect, isConnected } from '../../cluster/redis.ts';
import { hasRedis, TestRedis } from '../../cluster/testing/redis-server.ts';
import { fundingTopic, snapshotTopic } from '../../topics.ts';
import { watchFundingChanges } from './funding-changes.ts';

const VENUE = 'hyperliquid';
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

it.runIf(hasRedis)(
  'publishes every move of a rate exactly once when another ingester takes over',
  async () => {
    const server = await TestRedis.start();
    onTestFinished(() => server.close());
    const connect = () => connectRedis(server.url);
    const link = connect();
    onTestFinished(() => disconnect(link));
    await isConnected(link);
    const clock = new ManualClock(Date.UTC(2026, 10, 16));
    const shared = { clock, log, prefix: 'test', link, connect };
    const idle = { isCopied: () => false, onLost: () => undefined, onFenced: () => undefined };
    const ingester = async (): Promise<IngestBus> => {
      const bus = await IngestBus.open({ ...shared, ...idle });
      onTestFinished(() => bus.stop());
      watchFundingChanges(bus, VENUE);
      return bus;
    };
    const [leader, standby] = [await ingester(), await ingester()];
    await leader.lead(1);
    const door = await GatewayBus.open(shared);
    onTestFinished(() => door.stop());
    const reported = (): readonly string[] =>
      door
        .log(fundingTopic)
        .since(0)
        .map(({ coin, rate }) => `${coin} ${rate}`);

    poll(leader, { BTC: 1, ETH: 1 });
    clock.advance(5_000);
    poll(standby, { BTC: 1, ETH: 1 });
    clock.advance(10_000);
    poll(leader, { BTC: 3, ETH: 2 });
    clock.advance(5_000);
    // One move as the other ingester published it, and one whose end it published later than it is seen here.
    poll(standby, { BTC: 4, ETH: 2 });
    clock.advance(10_000);
    poll(leader, { BTC: 5, ETH: 2 });
    await leader.flushed();
    clock.advance(5_000);
    // One changes without a report, and the other returns.
    poll(standby, { BTC: 5, ETH: 7 });
    poll(standby, { BTC: 5, ETH: 2 });
    await standby.lead(2);
    poll(standby, { BTC: 6, ETH: 2 });
    await standby.flushed();
    await vi.waitUntil(() => reported().includes('BTC 6'), { timeout: 30_000 });
    expect(reported()).toEqual(['BTC 3', 'ETH 2', 'BTC 5', 'ETH 7', 'ETH 2', 'BTC 6']);

    function poll(bus: IngestBus, rates: Readonly<Record<string, number>>): void {
      clock.advance(1);
      const rows = Object.entries(rates).map(
        ([coin, rate]): Funding => ({ coin, symbol: coin, rate, periodHours: 1, nextFundingMs: 0 }),
      );
      const snapshot = { venue: VENUE, rows, fetchedAtMs: clock.now(), everyMs: 30_000 };
      bus.publish(snapshotTopic(VENUE, 'funding'), snapshot);
    }
  },
);
