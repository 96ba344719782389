import type { Clock, Timer } from '@crosstape/core';
import type { Bus, LatestTopic } from './bus.ts';
import type { Log } from './log.ts';
import type { Retention } from './retention.ts';

/** Samples that wait while the store cannot be written to: a day of minutes of twenty coins; beyond it the oldest are dropped. */
const PENDING_MAX = 1_440 * 20;
/** Old samples are looked for this often. */
const PRUNE_EVERY_MS = 600_000;
const DAY_MS = 86_400_000;

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
  #pending: Sample[] = [];
  #working = Promise.resolve();
  #isFailing = false;
  #dropped = 0;

  constructor(options: SampleRecorderOptions<Sample>) {
    this.#options = options;
    this.#pruning = options.clock.every(PRUNE_EVERY_MS, () => {
      this.#working = this.#working.then(() => this.#prune());
    });
  }

  /** Samples dropped because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  add(sample: Sample): void {
    this.#pending.push(sample);
    this.#working = this.#working.then(() => this.#write());
  }

  /** Writes what is pending and stops. */
  async stop(): Promise<void> {
    this.#pruning.cancel();
    await this.#working;
    await this.#write();
  }

  async #write(): Promise<void> {
    const { bus, table, log, topic, what } = this.#options;
    const batch = this.#pending;
    const newest = batch.at(-1);
    if (!newest) return;
    this.#pending = [];
    try {
      await table.append(batch);
      this.#isFailing = false;
      bus.publish(topic, { t: newest.t });
    } catch (error) {
      this.#pending = [...batch, ...this.#pending];
      const excess = Math.max(0, this.#pending.length - PENDING_MAX);
      this.#dropped += excess;
      this.#pending.splice(0, excess);
      if (!this.#isFailing) log.error({ err: error }, `${what} cannot be written; they wait in memory`);
      this.#isFailing = true;
    }
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
