/**
 * What the gateway costs, as ratios within one run: against a bare `ws` server that writes one framed buffer to the
 * same sockets, against one that encodes for each of them, and against a bare relay. Server, clients and venue are
 * processes of their own.
 *
 *     npm run bench:gateway                     five rounds
 *     npm run bench:gateway -- --short          one round of few messages
 *     npm run bench:gateway -- fan-out relay    only these parts
 */
import { parseArgs } from 'node:util';
import type { ClientsOrder, ClientsSeen } from './gateway-clients.ts';
import type { Feed } from './gateway-feed.ts';
import type { Spent, SubjectOrder } from './gateway-subject.ts';
import type { Stint, WaysSpent } from './gateway-ways.ts';
import { answer, delaysOf, inTurns, judge, median, medians, quantile, start } from './part.ts';

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const rounds = values.short ? 1 : 5;
const scale = values.short ? 0.25 : 1;
const IDLE_SOCKETS = 5_000;

interface Run {
  readonly subject: SubjectOrder;
  readonly sockets: number;
  readonly sleepers?: number;
  readonly feed?: Feed;
  /** The first trades, whose delays do not count: a service runs for days, and has long been compiled. */
  readonly warmTrades?: number;
}

interface Round {
  readonly usPerDelivery: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly heldUpMs: number;
  readonly grownBytes: number;
  readonly broken: number;
  readonly counts: Spent['counts'];
}

async function run({ subject: order, sockets, sleepers = 0, feed, warmTrades = 0 }: Run): Promise<Round> {
  const venue = feed && start('gateway-feed.ts', feed);
  const feedPort = venue && (await answer<{ port: number }>(venue)).port;
  const subject = start('gateway-subject.ts', { ...order, ...(feedPort !== undefined && { feedPort }) });
  const { port } = await answer<{ port: number }>(subject);
  const clients = start('gateway-clients.ts');
  const frames = feed ? feed.frames * feed.perFrame : order.ticks * order.perTick;
  const clientsOrder: ClientsOrder = { port, sockets, frames, sleepers };
  clients.send(clientsOrder);
  await answer(clients);
  subject.send('go');
  venue?.send('go');
  const seen: ClientsSeen =
    frames > 0 ? await answer<ClientsSeen>(clients) : { frames: 0, broken: 0, arrivedAtMs: [] };
  subject.send('done');
  const spent = await answer<Spent>(subject);
  clients.send('done');
  venue?.send('done');
  const sentAtMs = venue ? await answer<readonly number[]>(venue) : spent.publishedAtMs;
  const delaysMs = delaysOf(seen.arrivedAtMs, sentAtMs, 1 + warmTrades);
  return {
    usPerDelivery: spent.cpuUs / Math.max(1, seen.frames),
    p50Ms: quantile(delaysMs, 0.5),
    p99Ms: quantile(delaysMs, 0.99),
    heldUpMs: spent.heldUpMs,
    grownBytes: spent.rssBytes - spent.rssBeforeBytes,
    broken: seen.broken,
    counts: spent.counts,
  };
}

/** The medians of each case over the rounds, and the most broken sockets. */
async function compare<Name extends string>(
  cases: Readonly<Record<Name, Run>>,
): Promise<Record<Name, Round>> {
  const results = await inTurns(cases, rounds, run);
  return Object.fromEntries(
    (Object.entries(results) as [Name, Round[]][]).map(([name, all]) => {
      const broken = Math.max(...all.map((round) => round.broken));
      if (broken > 0) {
        console.error(`${name}: frames were lost, doubled or out of order on ${broken} sockets`);
        process.exitCode = 1;
      }
      const figures = medians(all, ['usPerDelivery', 'p50Ms', 'p99Ms', 'heldUpMs', 'grownBytes']);
      return [name, { ...figures, broken, counts: all.at(-1)?.counts ?? {} }];
    }),
  ) as Record<Name, Round>;
}

/** Each way has several turns in a process; the first ones only warm up. */
async function fanOut(): Promise<void> {
  const one = { perTick: 1, tickMs: 20, ticks: 50 } as const;
  const ten = { perTick: 10, tickMs: 50, ticks: 5 } as const;
  const turn: readonly Stint[] = [
    { way: 'gateway', ...one },
    { way: 'framed', ...one },
    { way: 'naive', ...one },
    { way: 'gateway', ...ten },
    { way: 'naive', ...ten },
  ];
  const turns = Array.from({ length: values.short ? 3 : 6 }, () => turn).flat();
  const costs: (readonly number[])[] = [];
  for (let n = 0; n < rounds; n += 1) {
    const spent = await ways(turns);
    for (let at = turn.length; at < spent.length; at += turn.length)
      costs.push(spent.slice(at, at + turn.length));
  }
  const middle = (of: (turn: readonly number[]) => number): number => median(costs.map(of));
  const names = ['gateway', 'framed', 'naive', 'gateway, ten at once', 'naive, ten at once'];
  console.table(
    Object.fromEntries(
      names.map((name, i) => [
        name,
        { 'CPU µs/delivery': Number(middle((cost) => cost[i] ?? Number.NaN).toFixed(3)) },
      ]),
    ),
  );
  // Ratios within a turn: from one process to the next the kernel's part differs by half.
  const ratio = (i: number, k: number): number =>
    middle((cost) => (cost[i] ?? Number.NaN) / (cost[k] ?? Number.NaN));
  judge('CPU of one trade, against one framed write', ratio(0, 1), 1.1);
  judge('CPU of one trade, against the naive send', ratio(0, 2), 0.45);
  judge('CPU of ten at once, against the naive send', ratio(3, 4), 0.1);
}

/** CPU in µs per delivery of each stint. */
async function ways(stints: readonly Stint[]): Promise<readonly number[]> {
  const sockets = 1_000;
  const subject = start('gateway-ways.ts', stints);
  const { port } = await answer<{ port: number }>(subject);
  const clients = start('gateway-clients.ts');
  const frames = stints.reduce((sum, { perTick, ticks }) => sum + perTick * ticks, 0);
  const order: ClientsOrder = { port, sockets, frames, sleepers: 0 };
  clients.send(order);
  await answer(clients);
  const [spent, seen] = [answer<WaysSpent>(subject), answer<ClientsSeen>(clients)];
  subject.send('go');
  const { cpuUs } = await spent;
  const { broken } = await seen;
  clients.send('done');
  if (broken > 0) {
    console.error(`frames were lost, doubled or out of order on ${broken} sockets`);
    process.exitCode = 1;
  }
  return stints.map(({ perTick, ticks }, i) => (cpuUs[i] ?? Number.NaN) / (perTick * ticks * sockets));
}

async function relay(): Promise<void> {
  const warmFrames = 3_200;
  const feed: Feed = { perFrame: 5, frameMs: 2.5, frames: warmFrames + Math.round(4_000 * scale) };
  const noPublishing = { perTick: 0, tickMs: 1, ticks: 0 } as const;
  const relayed = { sockets: 10, feed, warmTrades: warmFrames * feed.perFrame };
  const delay = await compare({
    gateway: { subject: { kind: 'gateway', ...noPublishing }, ...relayed },
    relay: { subject: { kind: 'relay', ...noPublishing }, ...relayed },
  });
  const p99s = `${delay.gateway.p99Ms.toFixed(2)} ms over ${delay.relay.p99Ms.toFixed(2)} ms`;
  judge(`venue to client at 2,000 trades/s, p99 ${p99s}`, delay.gateway.p99Ms / delay.relay.p99Ms, 2);
}

async function idle(): Promise<void> {
  const open = await run({
    subject: { kind: 'gateway', perTick: 0, tickMs: 1, ticks: 0 },
    sockets: IDLE_SOCKETS,
  });
  judge('memory of an idle socket', open.grownBytes / IDLE_SOCKETS / 1_024, 20, 'KiB');
}

async function slow(): Promise<void> {
  const load = { perTick: 20, tickMs: 20, ticks: Math.round(3_600 * scale) } as const;
  const seen = await compare({
    allRead: { subject: { kind: 'gateway', ...load }, sockets: 900 },
    someSleep: { subject: { kind: 'gateway', ...load }, sockets: 1_000, sleepers: 100 },
  });
  const { tooSlow } = seen.someSleep.counts;
  console.log(
    `1,000 sockets, 100 of them never reading: the service grew by ${(seen.someSleep.grownBytes / 1_048_576).toFixed(0)} MiB, without them by ${(seen.allRead.grownBytes / 1_048_576).toFixed(0)} MiB; ${tooSlow} were closed`,
  );
  if (!values.short) judge('sockets that never read and were not closed', 100 - (tooSlow ?? 0), 0, '');
  // What may wait for one is bounded, and so is what a hundred of them cost.
  const sleepersBytes = seen.someSleep.grownBytes - seen.allRead.grownBytes;
  judge('memory of a socket that never reads', sleepersBytes / 100 / 1_048_576, 5, 'MiB');
  judge('p99 of the others, against all reading', seen.someSleep.p99Ms / seen.allRead.p99Ms, 1.5);
}

const parts: Readonly<Record<string, () => Promise<void>>> = { 'fan-out': fanOut, relay, idle, slow };
for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const part = parts[name];
  if (!part) throw new Error(`there is no part ${name}, only ${Object.keys(parts).join(', ')}`);
  await part();
}
