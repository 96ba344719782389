/**
 * What a delivered event costs: the streams of the service against a bare server that writes the same bytes to the
 * same number of sockets, alternating, each in a separate process, with clients in another that count every event.
 *
 *     npm run bench:sse                 five rounds of 1,000 trades/s for 10 s plus a burst of 5,000 to 200 streams
 *     npm run bench:sse -- --short      two rounds of 2 s
 *     npm run bench:sse -- --frame-ms 1 every trade in its own frame
 */
import { parseArgs } from 'node:util';
import type { Seen } from './sse-clients.ts';
import type { Spent } from './sse-subject.ts';
import { answer, delaysOf, inTurns, median, medians, quantile, start } from './part.ts';

export interface Load {
  readonly streams: number;
  readonly tradesPerSecond: number;
  readonly seconds: number;
  readonly burst: number;
  /** How often the venue's socket brings a frame. */
  readonly frameMs: number;
}

interface Round {
  readonly usPerEvent: number;
  readonly events: number;
  readonly lost: number;
  readonly broken: number;
  readonly heldUpMs: number;
  readonly delayP50Ms: number;
  readonly delayP99Ms: number;
}

const kinds = ['bare', 'service'] as const;

async function run(kind: (typeof kinds)[number], load: Load): Promise<Round> {
  const subject = start('sse-subject.ts', kind, load);
  const { port, trades } = await answer<{ port: number; trades: number }>(subject);
  const clients = start('sse-clients.ts');
  clients.send({ port, trades, streams: load.streams });
  await answer(clients);
  subject.send('go');
  const seen = await answer<Seen>(clients);
  subject.send('done');
  const spent = await answer<Spent>(subject);
  const delaysMs = delaysOf(seen.arrivedAtMs, spent.publishedAtMs);
  return {
    usPerEvent: spent.cpuUs / seen.events,
    events: seen.events,
    lost: trades * load.streams - seen.events,
    broken: seen.broken,
    heldUpMs: spent.heldUpMs,
    delayP50Ms: quantile(delaysMs, 0.5),
    delayP99Ms: quantile(delaysMs, 0.99),
  };
}

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    streams: { type: 'string', default: '200' },
    'frame-ms': { type: 'string', default: '5' },
  },
});
const rounds = Number(values.rounds ?? (values.short ? 2 : 5));
const load: Load = {
  streams: Number(values.streams),
  tradesPerSecond: 1_000,
  seconds: values.short ? 2 : 10,
  burst: 5_000,
  frameMs: Number(values['frame-ms']),
};

const results = await inTurns({ bare: 'bare', service: 'service' } as const, rounds, (kind) =>
  run(kind, load),
);

console.log(
  `${load.tradesPerSecond} trades/s for ${load.seconds} s in frames of ${load.frameMs} ms, plus a burst of ${load.burst}, to ${load.streams} streams; medians of ${rounds} rounds`,
);
console.table(
  Object.fromEntries(
    kinds.map((kind) => {
      const of = (pick: (round: Round) => number): number =>
        Number(median(results[kind].map(pick)).toFixed(3));
      return [
        kind,
        {
          'CPU µs/event': of(({ usPerEvent }) => usPerEvent),
          events: of(({ events }) => events),
          lost: Math.max(...results[kind].map(({ lost }) => lost)),
          'broken streams': Math.max(...results[kind].map(({ broken }) => broken)),
          'loop held up ms': of(({ heldUpMs }) => heldUpMs),
          'delay p50 ms': of(({ delayP50Ms }) => delayP50Ms),
          'delay p99 ms': of(({ delayP99Ms }) => delayP99Ms),
        },
      ];
    }),
  ),
);
const [service, bare] = [results.service, results.bare].map((all) => medians(all, ['usPerEvent']).usPerEvent);
const ratio = (service as number) / (bare as number);
console.log(`CPU per delivered event: ${ratio.toFixed(2)} × of the bare write`);
const isWhole = [...results.service, ...results.bare].every(({ lost, broken }) => lost === 0 && broken === 0);
if (!isWhole) {
  console.error('events were lost, doubled or out of order');
  process.exitCode = 1;
}
