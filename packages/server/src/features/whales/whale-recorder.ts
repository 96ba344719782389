import { type Clock, DAY_MS, type Print } from '@crosstape/core';
import type { Bus, LogTopic } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import { PendingRows } from '../../platform/pending-rows.ts';
import { WHALE_FLOOR_USD, type WhaleTable } from './whale-table.ts';
import type { Retention } from '../../platform/retention.ts';

const WRITE_EVERY_MS = 250;
const PRUNE_EVERY_MS = 10 * 60_000;
/** Pending prints while the store cannot be written; beyond this the oldest are dropped, and counted. */
const PENDING_MAX = 50_000;

export interface WhaleRecorderOptions<Stored extends Print> {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly topic: LogTopic<Stored>;
  readonly table: WhaleTable<Stored>;
  readonly retentionDays: number;
  readonly keptFromMs: Retention;
  readonly isRecorded: (print: Stored) => boolean;
  readonly log: Log;
}

export interface WhaleRecorder<Stored extends Print> {
  readonly dropped: number;
  /** Stores prints as if they were received. */
  add(prints: readonly Stored[]): void;
  /** Writes pending prints and stops. */
  stop(): Promise<void>;
}

/** Stores every large print within a second, in batches, and prunes the table to its retention. */
export function startWhaleRecorder<Stored extends Print>(
  options: WhaleRecorderOptions<Stored>,
): WhaleRecorder<Stored> {
  const { clock, bus, topic, table, retentionDays, keptFromMs, isRecorded, log } = options;
  const write = (batch: readonly Stored[]): Promise<void> => table.append(batch);
  const pending = new PendingRows<Stored>({ max: PENDING_MAX, what: 'large prints', log, write });
  let writing: Promise<unknown> | undefined;
  const writeOnce = (): void => {
    writing ??= pending.write().finally(() => {
      writing = undefined;
    });
  };
  const prune = (): void => {
    const beforeMs = keptFromMs(retentionDays * DAY_MS);
    if (beforeMs === undefined) return;
    table
      .prune(beforeMs)
      .catch((error: unknown) => log.error({ err: error }, 'old prints cannot be removed'));
  };

  const add = (print: Stored): void => {
    if (print.notionalUsd >= WHALE_FLOOR_USD && isRecorded(print)) pending.add(print);
  };
  const unsubscribe = bus.subscribe(topic, add);
  const timers = [clock.every(WRITE_EVERY_MS, writeOnce), clock.every(PRUNE_EVERY_MS, prune)];
  prune();

  return {
    get dropped() {
      return pending.dropped;
    },
    add: (prints) => prints.forEach(add),
    async stop() {
      unsubscribe();
      for (const timer of timers) timer.cancel();
      await writing;
      await pending.write();
    },
  };
}
