/**
 * What roles on Redis cost, as ratios within one run: a gateway that reads the bus from Redis against one with the bus
 * in its own process, two such gateways against one, the way of a trade from the venue to the client, and the memory of
 * the server. Everything is a separate process, Redis included.
 *
 *     npm run bench:scale              three rounds, and a whole day recorded
 *     npm run bench:scale -- --short   one round of few messages, and an hour
 */
import type { ChildProcess } from 'node:child_process';
import { parseArgs } from 'node:util';
import { connectRedis, isConnected } from '../packages/server/src/cluster/redis.ts';
import { shardsOf } from '../packages/server/src/cluster/bus-wire.ts';
import { TestRedis } from '../packages/server/src/cluster/testing/redis-server.ts';
import type { ClientsOrder, ClientsSeen } from './gateway-clients.ts';
import type { Feed } from './gateway-feed.ts';
import { recordDays } from './scale-day.ts';
import type { ScaleOrder, ScaleSpent } from './scale-subject.ts';
import { answer, delaysOf, inTurns, judge, medians, quantile, start } from './part.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const rounds = values.short ? 1 : 3;
const scale = values.short ? 0.25 : 1;
const days = values.short ? 1 / 24 : 1;
/** How long the streams are kept; `LOG_KEPT_MS` of the outbox. */
const STREAM_SECONDS = 720;

interface Run {
  /** 0: the bus is in the process of the gateway itself. */
  readonly gateways: number;
  /** Of each gateway. */
  readonly sockets: number;
  readonly load: Pick<ScaleOrder, 'trades' | 'everyMs' | 'others'>;
  readonly feed?: Feed;
}

interface Round {
  /** Of the costliest gateway. */
  readonly usPerDelivery: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the streams on the server, for each trade that is kept in them. */
  readonly streamBytesPerTrade: number;
}

async function run({ gateways: count, sockets, load, feed }: Run): Promise<Round> {
  const redis = count > 0 ? await TestRedis.start() : undefined;
  const venue = feed && start('gateway-feed.ts', feed);
  const feedPort = venue && (await answer<{ port: number }>(venue)).port;
  const order = { ...load, ...(redis && { redisUrl: redis.url }), ...(feedPort && { feedPort }) };
  const source = start('scale-subject.ts', { ...order, kind: redis ? 'publisher' : 'embedded' });
  const { port: sourcePort } = await answer<{ port: number }>(source);
  const others = Array.from({ length: count }, () =>
    start('scale-subject.ts', { ...order, kind: 'gateway' }),
  );
  const ports = await Promise.all(
    others.map(async (gateway) => (await answer<{ port: number }>(gateway)).port),
  );
  const frames = feed ? feed.frames * feed.perFrame : load.trades;
  const clients = await Promise.all(
    (redis ? ports : [sourcePort]).map(async (port) => {
      const child = start('gateway-clients.ts');
      const clientsOrder: ClientsOrder = { port, sockets, frames, sleepers: 0 };
      child.send(clientsOrder);
      await answer(child);
      return child;
    }),
  );
  const seen = clients.map((child) => answer<ClientsSeen>(child));
  for (const gateway of others) gateway.send('go');
  source.send('go');
  venue?.send('go');
  const all = await Promise.all(seen);
  const end = async (child: ChildProcess): Promise<ScaleSpent> => {
    child.send('done');
    return answer<ScaleSpent>(child);
  };
  const spent = await Promise.all((redis ? others : [source]).map(end));
  const streamBytesPerTrade = redis ? await streamBytes(redis, frames + load.others * load.trades) : 0;
  const { publishedAtMs } = redis ? await end(source) : (spent[0] as ScaleSpent);
  for (const child of clients) child.send('done');
  venue?.send('done');
  const sentAtMs = venue ? await answer<readonly number[]>(venue) : publishedAtMs;
  await redis?.close();
  const broken = all.reduce((sum, one) => sum + one.broken, 0);
  if (broken > 0) throw new Error(`frames were lost, doubled or out of order on ${broken} sockets`);
  const delaysMs = delaysOf((all[0] as ClientsSeen).arrivedAtMs, sentAtMs);
  return {
    usPerDelivery: Math.max(...spent.map(({ cpuUs }, i) => cpuUs / (all[i] as ClientsSeen).frames)),
    p50Ms: quantile(delaysMs, 0.5),
    p99Ms: quantile(delaysMs, 0.99),
    streamBytesPerTrade,
  };
}

async function streamBytes(redis: TestRedis, trades: number): Promise<number> {
  const link = connectRedis(redis.url);
  await isConnected(link);
  const sizes = await Promise.all(
    shardsOf('bench').map(({ log }) => link.memory('USAGE', log, 'SAMPLES', 0)),
  );
  link.disconnect();
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) / trades;
}

const figures = ['usPerDelivery', 'p50Ms', 'p99Ms', 'streamBytesPerTrade'] as const;

/** The medians of each case over the rounds. */
async function compare<Name extends string>(
  cases: Readonly<Record<Name, Run>>,
): Promise<Record<Name, Round>> {
  const results = await inTurns(cases, rounds, run);
  return Object.fromEntries(
    (Object.entries(results) as [Name, Round[]][]).map(([name, all]) => [name, medians(all, figures)]),
  ) as Record<Name, Round>;
}

/** One coin that all follow, at 50 trades a second, and 500 of others that the gateway reads all the same. */
const load = { trades: Math.round(1_000 * scale), everyMs: 20, others: 10 } as const;
const sockets = 600;
const fanOut = await compare({
  embedded: { gateways: 0, sockets, load },
  one: { gateways: 1, sockets, load },
  two: { gateways: 2, sockets, load },
});
/** 2,000 trades a second of a venue that speaks 400 times in it. */
const feed: Feed = { perFrame: 5, frameMs: 2.5, frames: Math.round(4_000 * scale) };
const none = { trades: 0, everyMs: 1, others: 0 } as const;
const way = await compare({
  embedded: { gateways: 0, sockets: 10, load: none, feed },
  one: { gateways: 1, sockets: 10, load: none, feed },
});
console.table(
  Object.fromEntries(
    [
      ...Object.entries(fanOut),
      ...Object.entries(way).map(([name, round]) => [`${name}, 2,000/s`, round] as const),
    ].map(([name, { usPerDelivery, p50Ms, p99Ms }]) => [
      name,
      {
        'CPU µs/delivery': Number(usPerDelivery.toFixed(2)),
        'p50 ms': Number(p50Ms.toFixed(2)),
        'p99 ms': Number(p99Ms.toFixed(2)),
      },
    ]),
  ),
);
judge(
  'CPU per delivery on Redis, against embedded',
  fanOut.one.usPerDelivery / fanOut.embedded.usPerDelivery,
  1.25,
);
judge(
  'CPU per delivery of each of two, against one',
  fanOut.two.usPerDelivery / fanOut.one.usPerDelivery,
  1.1,
);
judge('venue to client p99 on Redis, against embedded', way.one.p99Ms / way.embedded.p99Ms, 3);

const { trades, bytes, tookMs } = await recordDays(days);
const perDay = bytes / days;
const streams = (way.one.streamBytesPerTrade * trades * STREAM_SECONDS) / (days * 86_400);
const gib = (amount: number): string => `${(amount / 2 ** 30).toFixed(2)} GiB`;
console.log(
  `memory of the record: ${gib(perDay)} a day (${Math.round(trades / days).toLocaleString('en')} trades, ${(bytes / trades).toFixed(1)} bytes each; ${(days * 24).toFixed(0)} h measured in ${(tookMs / 1_000).toFixed(0)} s), so ${gib(7 * perDay)} for 7 days`,
);
console.log(
  `memory of the streams: ${way.one.streamBytesPerTrade.toFixed(0)} bytes a trade, so ${(streams / 2 ** 20).toFixed(0)} MiB for ${STREAM_SECONDS / 60} minutes`,
);
