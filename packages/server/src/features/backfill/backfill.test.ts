import { ManualClock } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import { type BadStatus, SourceFailure } from '../../ingest/source-failure.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { backfillTopic } from '../../topics.ts';
import { Backfill, type BackfillTarget, type BackfillTask } from './backfill.ts';
import { candleDemandTopic } from './candle-demand.ts';

const LATE = { timeout: 15_000, interval: 1 };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Advances the clock second by second until a condition is met. */
function advancing(clock: ManualClock): (isThere: () => boolean) => Promise<unknown> {
  return (isThere) =>
    vi.waitUntil(() => {
      clock.advance(1_000);
      return isThere();
    }, LATE);
}

/** Runs a back-fill of some markets, each one piece; the venue refuses the bad ones with `status`. */
function backfillOf(
  names: readonly string[],
  status: BadStatus,
  isBad: (name: string) => boolean,
  kind: BackfillTask['kind'] = 'samples',
) {
  const clock = new ManualClock(0);
  const bus = new LocalBus(clock);
  const asked: string[] = [];
  const done = new Set<string>();
  const read = async (name: string): Promise<void> => {
    asked.push(name);
    if (isBad(name)) throw new SourceFailure(status, 'HTTP 400');
    done.add(name);
  };
  const targets = names.map(
    (name): BackfillTarget => ({
      market: name,
      next: async () =>
        done.has(name)
          ? undefined
          : {
              fill: async (ask) => {
                await ask(() => read(name));
                return 1;
              },
            },
    }),
  );
  const logged: (readonly [string, object])[] = [];
  const log = { ...silent, info: (fields: object, text: string) => void logged.push([text, fields]) };
  const backfill = new Backfill({ bus, clock, log });
  backfill.add({ kind, venue: 'okx', weightPerMinute: 600, targets: async () => targets });
  backfill.start();
  return { backfill, bus, asked, done, logged, advanceUntil: advancing(clock) };
}

it.each(['changed', 'down'] as const)(
  'continues with the next market when one is %s, and retries that later',
  async (status) => {
    let isDelisted = true;
    const bad = (name: string): boolean => name === 'A' && isDelisted;
    const { backfill, bus, asked, advanceUntil } = backfillOf(['A', 'B', 'C'], status, bad);
    const histories = () => bus.latest(backfillTopic)?.message.histories;
    await advanceUntil(() => asked.length === 3 && histories()?.seriesLeft === 1);
    expect([asked, histories()]).toEqual([['A', 'B', 'C'], { isDone: false, seriesLeft: 1 }]);
    isDelisted = false;
    await advanceUntil(() => histories()?.isDone ?? false);
    expect(asked).toEqual(['A', 'B', 'C', 'A']);
    await backfill.stop();
  },
);

it.each([
  ['limited', 1],
  ['blocked', 1],
  ['down', 3],
  ['changed', 21],
] as const)('leaves a venue that is %s alone after %d requests', async (status, requests) => {
  const names = Array.from({ length: 30 }, (_, i) => `M${i}`);
  const { backfill, asked, advanceUntil } = backfillOf(names, status, () => true);
  // The first again: a new round.
  await advanceUntil(() => asked.filter((name) => name === 'M0').length === 2);
  expect(asked).toEqual([...names.slice(0, requests), 'M0']);
  await backfill.stop();
});

it('requests the others first after a failure of what a caller requested', async () => {
  const { backfill, bus, asked, done, advanceUntil } = backfillOf(['A', 'B'], 'down', (name) => name === 'B');
  bus.publish(candleDemandTopic, { market: 'B' });
  await advanceUntil(() => done.has('A'));
  expect(asked.slice(0, 2)).toEqual(['B', 'A']);
  await backfill.stop();
});

it('logs the progress of candles in tenths, and their end once', async () => {
  const names = Array.from({ length: 30 }, (_, i) => `M${i}`);
  const { backfill, bus, logged, advanceUntil } = backfillOf(names, 'down', () => false, 'candles');
  let rounds = 0;
  bus.subscribe(backfillTopic, ({ isDone }) => {
    if (isDone) rounds += 1;
  });
  await advanceUntil(() => rounds === 3);
  expect(logged).toEqual([
    ...Array.from({ length: 10 }, (_, i) => [
      'requesting candles from before the record',
      { progress: i / 10, marketsLeft: i === 0 ? 29 : 30 - 3 * i },
    ]),
    ['candles from before the record are complete', { requests: 30 }],
  ]);
  await backfill.stop();
});

it('requests what callers ask for first, and then continues where it was', async () => {
  const clock = new ManualClock(0);
  const bus = new LocalBus(clock);
  const asked: string[] = [];
  const targets = ['A', 'B', 'C'].map((market): BackfillTarget => {
    let left = 3;
    return {
      market,
      next: async () =>
        left === 0
          ? undefined
          : {
              fill: (ask) =>
                ask(async () => {
                  left -= 1;
                  asked.push(market);
                  return 1;
                }),
            },
    };
  });
  const backfill = new Backfill({ bus, clock, log: silent });
  backfill.add({ kind: 'candles', venue: 'okx', weightPerMinute: 600, targets: async () => targets });
  backfill.start();
  await vi.waitUntil(() => asked.length === 1, LATE);
  for (const market of ['C', 'elsewhere']) bus.publish(candleDemandTopic, { market });
  await advancing(clock)(() => bus.latest(backfillTopic)?.message.isDone ?? false);
  expect(asked.join('')).toBe('ACCCAABBB');
  await backfill.stop();
});

it('requests the newest of a quick history before all candles, and the rest after them', async () => {
  const clock = new ManualClock(0);
  const bus = new LocalBus(clock);
  const asked: string[] = [];
  const targetsOf = (kind: string): readonly BackfillTarget[] =>
    ['A', 'B'].map((market) => {
      let left = 2;
      return {
        next: async () =>
          left === 0
            ? undefined
            : {
                fill: (ask) =>
                  ask(async () => {
                    left -= 1;
                    asked.push(`${kind} ${market}`);
                    return 1;
                  }),
              },
      };
    });
  const backfill = new Backfill({ bus, clock, log: silent });
  const candles = targetsOf('candles');
  const funding = targetsOf('funding');
  const venue = { venue: 'okx', weightPerMinute: 600 };
  backfill.add({ ...venue, kind: 'candles', targets: async () => candles });
  backfill.add({ ...venue, kind: 'samples', quickTargets: 20, targets: async () => funding });
  backfill.start();
  await advancing(clock)(() => bus.latest(backfillTopic)?.message.histories.isDone ?? false);
  expect(asked).toEqual([
    'funding A',
    'funding B',
    'candles A',
    'candles A',
    'candles B',
    'candles B',
    'funding A',
    'funding B',
  ]);
  await backfill.stop();
});

it('requests the newest of the largest coins first, over all quick histories', async () => {
  const clock = new ManualClock(0);
  const bus = new LocalBus(clock);
  const asked: string[] = [];
  const backfill = new Backfill({ bus, clock, log: silent });
  const add = (kind: string, quickTargets: number | undefined): void => {
    const done = new Set<string>();
    const targets = ['A', 'B', 'C'].map(
      (market): BackfillTarget => ({
        next: async () =>
          done.has(market)
            ? undefined
            : {
                fill: (ask) =>
                  ask(async () => {
                    done.add(market);
                    asked.push(`${kind} ${market}`);
                    return 1;
                  }),
              },
      }),
    );
    const task = {
      kind: 'samples',
      venue: 'okx',
      weightPerMinute: 600,
      targets: async () => targets,
    } as const;
    backfill.add({ ...task, ...(quickTargets !== undefined && { quickTargets }) });
  };
  add('interest', undefined);
  add('funding', 3);
  add('longs', 2);
  backfill.start();
  await advancing(clock)(() => bus.latest(backfillTopic)?.message.histories.isDone ?? false);
  expect(asked).toEqual([
    'funding A',
    'longs A',
    'funding B',
    'longs B',
    'funding C',
    'interest A',
    'interest B',
    'interest C',
    'longs C',
  ]);
  await backfill.stop();
});

it('requests candles though no funding is answered', async () => {
  const clock = new ManualClock(0);
  const bus = new LocalBus(clock);
  const asked: string[] = [];
  const reading = (name: string, read: () => number): BackfillTarget => {
    let isLeft = true;
    return {
      next: async () => {
        if (!isLeft) return undefined;
        return {
          fill: (ask) =>
            ask(async () => {
              asked.push(name);
              const weight = read();
              isLeft = false;
              return weight;
            }),
        };
      },
    };
  };
  const down = (): never => {
    throw new SourceFailure('down', 'HTTP 500');
  };
  const backfill = new Backfill({ bus, clock, log: silent });
  const venue = { venue: 'kraken', weightPerMinute: 600 };
  const candles = [reading('candles', () => 1)];
  const funding = ['A', 'B', 'C', 'D'].map((coin) => reading(`funding ${coin}`, down));
  backfill.add({ ...venue, kind: 'candles', targets: async () => candles });
  backfill.add({ ...venue, kind: 'samples', quickTargets: 20, targets: async () => funding });
  backfill.start();
  await advancing(clock)(() => asked.includes('candles'));
  expect(asked).toEqual(['funding A', 'funding B', 'funding C', 'candles']);
  await backfill.stop();
});
