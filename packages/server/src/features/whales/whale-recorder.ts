import type { Clock, Print } from '@crosstape/core';
import type { Bus, LogTopic } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import { WHALE_FLOOR_USD, type WhaleTable } from './whale-table.ts';
import type { Retention } from '../../platform/retention.ts';

const WRITE_EVERY_MS = 250;
const PRUNE_EVERY_MS = 10 * 60_000;
/** Pending prints while the store cannot be written; beyond this the oldest are dropped, and counted. */
const PENDING_MAX = 50_000;
const DAY_MS = 86_400_000;

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
  let pending: Stored[] = [];
  let writing: Promise<void> | undefined;
  let dropped = 0;
  let isFailing = false;

  const write = async (): Promise<void> => {
    const batch = pending;
    if (batch.length === 0) return;
    pending = [];
    try {
      await table.append(batch);
      if (isFailing) log.info({ prints: batch.length }, 'large prints are being written again');
      isFailing = false;
    } catch (error) {
      pending = [...batch, ...pending];
      const excess = Math.max(0, pending.length - PENDING_MAX);
      dropped += excess;
      pending.splice(0, excess);
      if (!isFailing) log.error({ err: error }, 'large prints cannot be written; they wait in memory');
      isFailing = true;
    }
  };
  const writeOnce = (): Promise<void> => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const prune = (): void => {
    const beforeMs = keptFromMs(retentionDays * DAY_MS);
    if (beforeMs === undefined) return;
    table
      .prune(beforeMs)
      .catch((error: unknown) => log.error({ err: error }, 'old prints cannot be removed'));
  };

  const add = (print: Stored): void => {
    if (print.notionalUsd >= WHALE_FLOOR_USD && isRecorded(print)) pending.push(print);
  };
  const unsubscribe = bus.subscribe(topic, add);
  const timers = [clock.every(WRITE_EVERY_MS, () => void writeOnce()), clock.every(PRUNE_EVERY_MS, prune)];
  prune();

  return {
    get dropped() {
      return dropped;
    },
    add: (prints) => prints.forEach(add),
    async stop() {
      unsubscribe();
      for (const timer of timers) timer.cancel();
      await writing;
      await write();
    },
  };
}
