import type { Clock, Timer } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { type HalfHours, halfHoursTopic } from '../../topics.ts';
import { readClosesTask } from './closes-on-tape.ts';

export const HALF_HOUR_MS = 1_800_000;
/** A day of them. */
export const HALF_HOURS = 48;
/** Trades of a half hour are written a little after its end. */
const WRITTEN_AFTER_MS = 3_000;
const AGAIN_MS = 60_000;

export interface WatchClosesOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  /** Where the tape is read, and the folder of the store that has it. */
  readonly jobs: JobRunner;
  readonly folder: string;
}

export interface ClosesWatch {
  /** Reads the whole day again, after its history was changed. */
  refresh(): void;
  stop(): Promise<void>;
}

/** Publishes the closing prices of the last day's half hours: the whole day at the start, then each as it ends. */
export function watchCloses({ clock, bus, log, jobs, folder }: WatchClosesOptions): ClosesWatch {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: Timer | undefined;
  let known: HalfHours | undefined;
  let isOutdated = false;
  let working = Promise.resolve();

  const read = async (): Promise<void> => {
    if (isOutdated) known = undefined;
    isOutdated = false;
    const untilMs = Math.floor((clock.now() - WRITTEN_AFTER_MS) / HALF_HOUR_MS) * HALF_HOUR_MS;
    const before = known;
    const sinceMs = Math.max(before?.untilMs ?? 0, untilMs - HALF_HOURS * HALF_HOUR_MS);
    const periods = (untilMs - sinceMs) / HALF_HOUR_MS;
    if (periods === 0) return;
    const asked = { folder, fromMs: sinceMs, periodMs: HALF_HOUR_MS, periods };
    const closes = await jobs.run(readClosesTask, asked, { signal });
    const unknown = Array.from({ length: HALF_HOURS }, () => null);
    const byCoin = Object.entries(closes).map(([coin, newest]) => {
      const older = before?.byCoin[coin] ?? unknown;
      return [coin, [...older, ...newest].slice(-HALF_HOURS)] as const;
    });
    known = { untilMs, byCoin: Object.fromEntries(byCoin) };
    bus.publish(halfHoursTopic, known);
  };
  const turn = async (): Promise<void> => {
    if (signal.aborted) return;
    timer?.cancel();
    let inMs = HALF_HOUR_MS - ((clock.now() - WRITTEN_AFTER_MS) % HALF_HOUR_MS);
    try {
      await read();
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error }, 'closing prices cannot be read from the tape');
      inMs = AGAIN_MS;
    }
    timer = clock.after(inMs, next);
  };
  function next(): void {
    working = working.then(turn);
  }
  next();

  return {
    refresh() {
      isOutdated = true;
      next();
    },
    async stop() {
      stopping.abort();
      timer?.cancel();
      await working;
    },
  };
}
