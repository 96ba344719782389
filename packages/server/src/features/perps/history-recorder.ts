import type { Clock, Timer } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import { HISTORY_CADENCE_MS, type HistorySample, type HistoryTable } from './history-table.ts';
import { historyTopic } from '../../topics.ts';
import type { Retention } from '../../platform/retention.ts';

/** Samples that wait while the store cannot be written to: a day of two hundred coins; beyond it the oldest are dropped. */
const PENDING_MAX = 144 * 200;
const DAY_MS = 86_400_000;

export interface HistoryRecorderOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly table: HistoryTable;
  readonly log: Log;
  /** What is known at a time. */
  readonly sample: (t: number) => readonly HistorySample[];
  readonly retentionDays: number;
  readonly keptFromMs: Retention;
}

export interface HistoryRecorder {
  readonly dropped: number;
  /** Writes what is pending and stops. */
  stop(): Promise<void>;
}

/**
 * Takes a sample of open interest and funding on every multiple of the cadence, and prunes the table to its retention.
 */
export function startHistoryRecorder(options: HistoryRecorderOptions): HistoryRecorder {
  const { clock, bus, table, log, sample, retentionDays, keptFromMs } = options;
  let timer: Timer;
  let pending: HistorySample[] = [];
  let working = Promise.resolve();
  let dropped = 0;
  let isFailing = false;

  const write = async (): Promise<void> => {
    const batch = pending;
    if (batch.length === 0) return;
    pending = [];
    try {
      await table.append(batch);
      isFailing = false;
    } catch (error) {
      pending = [...batch, ...pending];
      const excess = Math.max(0, pending.length - PENDING_MAX);
      dropped += excess;
      pending.splice(0, excess);
      if (!isFailing) log.error({ err: error }, 'histories cannot be written; they wait in memory');
      isFailing = true;
    }
  };
  const record = async (t: number): Promise<void> => {
    await write();
    if (!isFailing) bus.publish(historyTopic, { t });
    const beforeMs = keptFromMs(retentionDays * DAY_MS);
    if (beforeMs === undefined) return;
    await table
      .prune(beforeMs)
      .catch((error: unknown) => log.error({ err: error }, 'old histories cannot be removed'));
  };
  const wait = (): void => {
    const nowMs = clock.now();
    const nextMs = (Math.floor(nowMs / HISTORY_CADENCE_MS) + 1) * HISTORY_CADENCE_MS;
    timer = clock.after(nextMs - nowMs, () => {
      pending.push(...sample(nextMs));
      working = working.then(() => record(nextMs));
      wait();
    });
  };
  wait();

  return {
    get dropped() {
      return dropped;
    },
    async stop() {
      timer.cancel();
      await working;
      await write();
    },
  };
}
