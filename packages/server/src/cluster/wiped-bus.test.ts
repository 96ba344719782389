import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LatestTopic, LogTopic } from '../platform/bus.ts';
import { systemClock } from '../platform/system-clock.ts';
import { GatewayBus } from './gateway-bus.ts';
import { IngestBus } from './ingest-bus.ts';
import { connectRedis, disconnect, isConnected, type RedisLink } from './redis.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';

const quiet = (): void => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const trades: LogTopic<{ readonly ts: number; readonly n: number }> = {
  name: 'trades:BTC',
  keep: { kind: 'log', keepMs: 60_000, entriesMax: 100 },
};
/** Enough for every shard. */
const prices = Array.from(
  { length: 64 },
  (_, i): LatestTopic<number> => ({ name: `price:${i}`, keep: { kind: 'latest' } }),
);

let server: TestRedis;
let link: RedisLink;
beforeAll(async () => {
  if (!hasRedis) return;
  server = await TestRedis.start();
  link = connectRedis(server.url);
  await isConnected(link);
});
afterAll(async () => {
  if (!hasRedis) return;
  disconnect(link);
  await server.close();
});

it.runIf(hasRedis)('a wiped server can be led and read: no entry that it lost is waited for', async () => {
  const shared = {
    clock: systemClock,
    log,
    prefix: 'wiped',
    link,
    connect: () => connectRedis(server.url),
  };
  const open = (): Promise<IngestBus> =>
    IngestBus.open({ ...shared, isCopied: (name) => name === trades.name, onLost: quiet, onFenced: quiet });
  const before = await open();
  await before.lead(1);
  before.publish(trades, { ts: systemClock.now(), n: 1 });
  await before.flushed();
  await link.flushall();
  // Names the newest log entry, which is gone.
  for (const price of prices) before.publish(price, 1);
  await before.flushed();
  const gateway = await GatewayBus.open({ ...shared, silentMs: 1_500 });
  await gateway.settled(trades);
  const next = await open();
  await next.lead(2);
  next.publish(trades, { ts: systemClock.now(), n: 2 });
  await next.flushed();
  await gateway.settled(trades);
  expect(gateway.log(trades).since(0)).toMatchObject([{ n: 2 }]);
  await Promise.all([before, next, gateway].map((bus) => bus.stop()));
});
