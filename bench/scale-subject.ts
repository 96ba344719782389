import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Trade } from '@crosstape/core';
import { silentLog } from '../packages/server/src/api/testing/stream-service.ts';
import type { Bus } from '../packages/server/src/platform/bus.ts';
import { GatewayBus } from '../packages/server/src/cluster/gateway-bus.ts';
import { IngestBus } from '../packages/server/src/cluster/ingest-bus.ts';
import { LocalBus } from '../packages/server/src/platform/local-bus.ts';
import { connectRedis, isConnected } from '../packages/server/src/cluster/redis.ts';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import { tradeTopic } from '../packages/server/src/topics.ts';
import { connectVenue, serveGateway, someTrades, publishCoins } from './gateway-served.ts';

/** What a process under test is to do: everything, or one half of it. */
export interface ScaleOrder {
  readonly kind: 'embedded' | 'publisher' | 'gateway';
  readonly redisUrl?: string;
  /** Its own trades: one of the followed coin per interval, and a number of others. */
  readonly trades: number;
  readonly everyMs: number;
  readonly others: number;
  /** Instead: a venue to connect to. */
  readonly feedPort?: number;
}

/** What it says in the end. */
export interface ScaleSpent {
  readonly cpuUs: number;
  readonly publishedAtMs: readonly number[];
}

/** Coins without subscribers; enough to be on every shard. */
const OTHER_COINS = 100;
const PREFIX = 'bench';

async function openBus({ kind, redisUrl }: ScaleOrder): Promise<Bus> {
  if (kind === 'embedded' || redisUrl === undefined) return new LocalBus(systemClock);
  const connect = (): ReturnType<typeof connectRedis> => connectRedis(redisUrl);
  const link = connect();
  await isConnected(link);
  const shared = { clock: systemClock, log: silentLog, prefix: PREFIX, link, connect };
  if (kind === 'gateway') return GatewayBus.open(shared);
  const fail = (): void => {
    throw new Error('messages were lost');
  };
  const bus = await IngestBus.open({ ...shared, isCopied: () => true, onLost: fail, onFenced: fail });
  await bus.lead(1);
  return bus;
}

/** Publishes trades of its own: numbered ones of the followed coin, among others. */
function publishTrades(bus: Bus, { trades, everyMs, others }: ScaleOrder, publishedAtMs: number[]): void {
  let done = 0;
  let other = 0;
  const templates = someTrades(OTHER_COINS).map((trade, i) => ({ ...trade, coin: `C${i}` }));
  const timer = setInterval(() => {
    for (let n = 0; n < others; n += 1, other += 1) {
      const template = templates[other % OTHER_COINS] as Trade;
      bus.publish(tradeTopic(template.coin), { ...template, ts: systemClock.now(), tid: other });
    }
    done += 1;
    const [trade] = someTrades(1) as [Trade];
    publishedAtMs[done] = performance.timeOrigin + performance.now();
    bus.publish(tradeTopic('BTC'), { ...trade, tid: done });
    if (done === trades) clearInterval(timer);
  }, everyMs);
}

const order = JSON.parse(process.argv[2] ?? '{}') as ScaleOrder;
const bus = await openBus(order);
const isSource = order.kind !== 'gateway';
if (isSource) publishCoins(bus);
const publishedAtMs: number[] = [];
const { feedPort } = order;
if (isSource && feedPort !== undefined) {
  await new Promise<void>((resolve) =>
    connectVenue(feedPort, (trade) => bus.publish(tradeTopic(trade.coin), trade), resolve),
  );
}
if (order.kind === 'publisher') process.send?.({ port: 0 });
else {
  const { server } = serveGateway(bus);
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}
process.once('message', () => {
  const before = process.cpuUsage();
  if (isSource && order.trades > 0) publishTrades(bus, order, publishedAtMs);
  process.once('message', () => {
    const { user, system } = process.cpuUsage(before);
    const spent: ScaleSpent = { cpuUs: user + system, publishedAtMs };
    process.send?.(spent, () => process.exit(0));
  });
});
