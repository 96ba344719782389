import type { Clock, FlowPoint, Timer } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import type { FlowTable } from './flow-table.ts';
import { flowHistoryTopic } from '../../topics.ts';
import type { Retention } from '../../platform/retention.ts';

/** Points that wait while the store cannot be written to: a day of twenty coins; beyond it the oldest are dropped. */
const PENDING_MAX = 1_440 * 20;
/** Old points are looked for this often. */
const PRUNE_EVERY_MS = 600_000;
const DAY_MS = 86_400_000;

export interface FlowRecorderOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly table: FlowTable;
  readonly log: Log;
  readonly retentionDays: number;
  readonly keptFromMs: Retention;
}

/** Writes the points of the flows as they come, and prunes the table to its retention. */
export class FlowRecorder {
  readonly #options: FlowRecorderOptions;
  readonly #pruning: Timer;
  #pending: FlowPoint[] = [];
  #working = Promise.resolve();
  #isFailing = false;
  #dropped = 0;

  constructor(options: FlowRecorderOptions) {
    this.#options = options;
    this.#pruning = options.clock.every(PRUNE_EVERY_MS, () => {
      this.#working = this.#working.then(() => this.#prune());
    });
  }

  /** Points let go because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  add(point: FlowPoint): void {
    this.#pending.push(point);
    this.#working = this.#working.then(() => this.#write());
  }

  /** Writes what is pending and stops. */
  async stop(): Promise<void> {
    this.#pruning.cancel();
    await this.#working;
    await this.#write();
  }

  async #write(): Promise<void> {
    const { bus, table, log } = this.#options;
    const batch = this.#pending;
    const newest = batch.at(-1);
    if (!newest) return;
    this.#pending = [];
    try {
      await table.append(batch);
      this.#isFailing = false;
      bus.publish(flowHistoryTopic, { t: newest.t });
    } catch (error) {
      this.#pending = [...batch, ...this.#pending];
      const excess = Math.max(0, this.#pending.length - PENDING_MAX);
      this.#dropped += excess;
      this.#pending.splice(0, excess);
      if (!this.#isFailing) log.error({ err: error }, 'flows cannot be written; they wait in memory');
      this.#isFailing = true;
    }
  }

  async #prune(): Promise<void> {
    const { table, log, retentionDays, keptFromMs } = this.#options;
    const beforeMs = keptFromMs(retentionDays * DAY_MS);
    if (beforeMs === undefined) return;
    await table
      .prune(beforeMs)
      .catch((error: unknown) => log.error({ err: error }, 'old flows cannot be removed'));
  }
}
