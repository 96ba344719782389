import { DAY_MS, HOUR_MS, MINUTE_MS, type Random } from '@crosstape/core';
import type { SocketFault } from '../../../ingest/testing/market-venue.ts';
import type { SimulatedMonth } from './simulated-month.ts';

const SECOND_MS = 1_000;
/** A shorter silence of both sockets is not a stall if trades are rare. */
const FREEZE_MIN_MS = 2 * MINUTE_MS;
/** No fault until the rate of the trades is known. */
const WARM_UP_MS = 2 * MINUTE_MS;

export interface MonthFault {
  readonly kind: string;
  /** Returns how long it lasts from then on. */
  run(month: SimulatedMonth): Promise<number>;
}

/** One of each, in random order. `scale` shortens the time beyond their minimum. */
export function shuffledFaults(random: Random, scale: number): readonly MonthFault[] {
  const between = (min: number, max: number): number => Math.round(min + random() * scale * (max - min));
  const isOnAll = (): boolean => random() < 0.6;
  const socket = (fault: SocketFault, forMs: number, onAll = isOnAll()): MonthFault => ({
    kind: fault.kind,
    run: async ({ venue }) => {
      venue.strike(fault, forMs, onAll);
      return forMs;
    },
  });
  const faults: readonly MonthFault[] = [
    socket({ kind: 'freeze' }, between(FREEZE_MIN_MS, HOUR_MS)),
    socket({ kind: 'empty' }, between(SECOND_MS, 10 * MINUTE_MS)),
    socket({ kind: 'slow', delayMs: between(50, 8_000) }, between(MINUTE_MS, 30 * MINUTE_MS)),
    socket({ kind: 'lose' }, between(MINUTE_MS, 30 * MINUTE_MS), false),
    {
      kind: 'cut',
      run: async ({ venue }) => {
        venue.cut(isOnAll());
        return 0;
      },
    },
    down('restart', (month) => month.stop(), between(0, 10 * MINUTE_MS)),
    down('kill', (month) => month.kill(), between(0, 30 * MINUTE_MS)),
    fullDisk(between(MINUTE_MS, 2 * HOUR_MS), random() < 0.3),
    wrongClock(
      (random() < 0.5 ? -1 : 1) * between(MINUTE_MS, 10 * DAY_MS),
      between(MINUTE_MS, 40 * MINUTE_MS),
    ),
    suspend(between(10 * MINUTE_MS, 4 * HOUR_MS), random() < 0.5),
  ];
  return faults
    .map((fault) => ({ fault, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ fault }) => fault);
}

function down(kind: string, end: (month: SimulatedMonth) => Promise<void>, forMs: number): MonthFault {
  return {
    kind,
    async run(month) {
      await end(month);
      month.suspend(forMs);
      await month.start();
      await month.pass(WARM_UP_MS);
      return 0;
    },
  };
}

/** The recorder cannot write for a while; pending data may be lost with the process. */
function fullDisk(forMs: number, isKilled: boolean): MonthFault {
  return {
    kind: 'full disk',
    async run(month) {
      month.process.store.isFull = true;
      await month.pass(forMs);
      if (isKilled) return down('kill', () => month.kill(), 0).run(month);
      month.process.store.isFull = false;
      return 0;
    },
  };
}

function wrongClock(aheadMs: number, forMs: number): MonthFault {
  return {
    kind: 'clock',
    async run(month) {
      month.setWallClock(aheadMs);
      await month.pass(forMs);
      month.setWallClock(0);
      return 0;
    },
  };
}

/** The machine sleeps for hours. Its sockets are closed when it wakes up, or dead without a message. */
function suspend(forMs: number, isClosed: boolean): MonthFault {
  return {
    kind: 'suspend',
    async run(month) {
      if (!isClosed) month.venue.abandon();
      month.suspend(forMs);
      if (isClosed) month.venue.cut(true);
      await month.pass(WARM_UP_MS);
      return 0;
    },
  };
}

/** Faults that explain a warning or an error. A quiet market looks like a fault, so the first two need none. */
const explanations: readonly (readonly [RegExp, readonly string[] | 'always'])[] = [
  [/^trades may be missing: subscribing again/, 'always'],
  [/^source is not ok .*No data for 60 s\./, 'always'],
  [
    /^source is not ok .*(closed the connection|not answer pings|cannot be parsed|unparseable|No data for \d{1,4} s)/,
    ['freeze', 'cut', 'empty', 'slow', 'suspend', 'kill'],
  ],
  [/^the tape cannot be written; trades wait in memory/, ['full disk']],
  [/^trades that could not be written are lost/, ['full disk']],
  [/^candles cannot be kept up to date/, ['full disk']],
  [/^recorded trades cannot be folded into candles yet/, ['full disk']],
  [/^the clock was set, and the venues agree with it/, ['suspend', 'clock']],
  [/^the clock of this machine is wrong/, ['clock', 'suspend']],
];

/** `line`: its message and fields. */
export function explains(line: string, active: readonly string[]): boolean {
  const found = explanations.find(([pattern]) => pattern.test(line))?.[1];
  return found === 'always' || (found?.some((kind) => active.includes(kind)) ?? false);
}
