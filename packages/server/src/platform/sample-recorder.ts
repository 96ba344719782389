import { type Clock, DAY_MS, type Timer } from '@crosstape/core';
import type { Bus, LatestTopic } from './bus.ts';
import type { Log } from './log.ts';
import { PendingRows } from './pending-rows.ts';
import type { Retention } from './retention.ts';

/** Samples that wait while the store cannot be written to: a day of minutes of twenty coins; beyond it the oldest are dropped. */
const PENDING_MAX = 1_440 * 20;
/** Old samples are looked for this often. */
const PRUNE_EVERY_MS = 600_000;

export interface SampleRecorderOptions<Sample> {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly table: {
    append(samples: readonly Sample[]): Promise<void>;
    prune(beforeMs: number): Promise<void>;
  };
  /** Published with the time of the newest sample that was written. */
  readonly topic: LatestTopic<{ readonly t: number }>;
  /** What the samples are, for the log: `flows`. */
  readonly what: string;
  readonly log: Log;
  readonly retentionDays: number;
  readonly keptFromMs: Retention;
}

/** Writes samples as they come, and prunes the table to its retention. */
export class SampleRecorder<Sample extends { readonly t: number }> {
  readonly #options: SampleRecorderOptions<Sample>;
  readonly #pruning: Timer;
  readonly #pending: PendingRows<Sample>;
  #working = Promise.resolve();

  constructor(options: SampleRecorderOptions<Sample>) {
    this.#options = options;
    const write = (batch: readonly Sample[]): Promise<void> => options.table.append(batch);
    this.#pending = new PendingRows({ ...options, max: PENDING_MAX, write });
    this.#pruning = options.clock.every(PRUNE_EVERY_MS, () => {
      this.#working = this.#working.then(() => this.#prune());
    });
  }

  /** Samples dropped because too many waited. */
  get dropped(): number {
    return this.#pending.dropped;
  }

  add(sample: Sample): void {
    this.#pending.add(sample);
    this.#working = this.#working.then(() => this.#write());
  }

  /** Writes what is pending and stops. */
  async stop(): Promise<void> {
    this.#pruning.cancel();
    await this.#working;
    await this.#write();
  }

  async #write(): Promise<void> {
    const { bus, topic } = this.#options;
    const newest = await this.#pending.write();
    if (newest) bus.publish(topic, { t: newest.t });
  }

  async #prune(): Promise<void> {
    const { table, log, retentionDays, keptFromMs, what } = this.#options;
    const beforeMs = keptFromMs(retentionDays * DAY_MS);
    if (beforeMs === undefined) return;
    await table
      .prune(beforeMs)
      .catch((error: unknown) => log.error({ err: error }, `old ${what} cannot be removed`));
  }
}
