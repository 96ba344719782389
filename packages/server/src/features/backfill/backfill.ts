import { setMaxListeners } from 'node:events';
import { type Clock, MINUTE_MS, sleep } from '@crosstape/core';
import { SourceFailure } from '../../ingest/source-failure.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import { backfillTopic } from '../../topics.ts';
import { candleDemandTopic } from './candle-demand.ts';

/** Share of a venue's limit per minute that the back-fill uses. */
const MINUTE_SHARE = 0.5;
/** Minimum pause between requests to a venue, whatever its limits: recording and callers take precedence. */
const PAUSE_MIN_MS = 1_000;
/** One venue is requested at a time; after an answer the back-fill pauses for this many times as long as it took. */
const REST_FACTOR = 2;
/** After this many consecutive requests without data, the venue has nothing older. */
export const EMPTY_MAX = 2;
/** After a failure the venue is left alone for this long. */
const RETRY_MS = 5 * MINUTE_MS;
/** Targets that fail in one round, and one after the other without an answer; with more, the whole venue fails. */
const FAILED_MAX = 20;
const UNANSWERED_MAX = 2;
/** Incomplete markets that callers requested; beyond this the oldest lose their priority. */
const DEMANDED_MAX = 100;
/** Delay after a round before looking for more. */
const ROUND_MS = MINUTE_MS;

/** Makes a request when its turn comes. */
export type ScheduleRequest = <Answer>(read: () => Promise<Answer>) => Promise<Answer>;

/** A part of a history that is not requested yet. */
export interface BackfillPiece {
  /** Requests and stores it; returns its cost, in the venue's own weight units. */
  fill(ask: ScheduleRequest): Promise<number>;
}

/** The history of one market or series. */
export interface BackfillTarget {
  /** The market, if callers may request it. */
  readonly market?: string;
  /** The newest piece that is not stored yet; `undefined` if there is none. */
  next(): Promise<BackfillPiece | undefined>;
}

/** Something that a venue has a history of. */
export interface BackfillTask {
  readonly kind: 'candles' | 'samples';
  readonly venue: string;
  /** The venue's limit per minute, in its own weight units. */
  readonly weightPerMinute: number;
  /** A request returns days or weeks: how many targets have their newest piece requested before anything else. */
  readonly quickTargets?: number;
  /** Most traded first; `undefined` while unknown. */
  targets(): Promise<readonly BackfillTarget[] | undefined>;
}

export interface BackfillOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Stores the venues' own histories from before the record, in the background: one request at a time over all venues,
 * the tasks of a venue one after the other, those that callers request first, then the most traded.
 */
export class Backfill {
  readonly #options: BackfillOptions;
  readonly #tasks = new Map<string, BackfillTask[]>();
  readonly #left = new Map<BackfillTask, number>();
  /** The most that were left of a task. */
  readonly #most = new Map<BackfillTask, number>();
  /** Progress of candles when last logged; 1 when complete. */
  #progress = -1;
  readonly #stopping = new AbortController();
  readonly #demanded = new Set<string>();
  #leave: () => void = () => undefined;
  #requests = 0;
  #asking: Promise<unknown> = Promise.resolve();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: BackfillOptions) {
    this.#options = options;
    // One for each venue that waits.
    setMaxListeners(0, this.#stopping.signal);
  }

  add(task: BackfillTask): void {
    const tasks = this.#tasks.get(task.venue);
    if (tasks) tasks.push(task);
    else this.#tasks.set(task.venue, [task]);
  }

  start(): void {
    if (this.#stopping.signal.aborted) return;
    this.#leave = this.#options.bus.subscribe(candleDemandTopic, ({ market }) => this.#demand(market));
    this.#running = Promise.all([...this.#tasks].map(([venue, tasks]) => this.#run(venue, tasks)));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#leave();
    await this.#running;
  }

  #demand(market: string): void {
    this.#demanded.delete(market);
    this.#demanded.add(market);
    const [oldest] = this.#demanded.size > DEMANDED_MAX ? this.#demanded : [];
    if (oldest !== undefined) this.#demanded.delete(oldest);
  }

  async #run(venue: string, tasks: readonly BackfillTask[]): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopping;
    let isFirst = true;
    while (!signal.aborted) {
      let waitMs = ROUND_MS;
      try {
        const quick = isFirst ? tasks.filter((task) => task.quickTargets !== undefined) : [];
        // Only once: one that fails would keep the candles waiting.
        isFirst = false;
        await this.#begin(venue, quick);
        for (const task of tasks) if ((await this.#round(task)) > 0) waitMs = RETRY_MS;
      } catch (error) {
        if (signal.aborted) return;
        waitMs = RETRY_MS;
        report(log, venue, error);
      }
      await sleep(clock, waitMs, signal).catch(() => undefined);
    }
  }

  /** Requests the newest pieces of the first targets, the first of every task first; a failed one is retried later. */
  async #begin(venue: string, tasks: readonly BackfillTask[]): Promise<void> {
    const failures = new RoundFailures(venue, this.#options.log);
    const quick: { readonly task: BackfillTask; readonly target: BackfillTarget; readonly place: number }[] =
      [];
    for (const task of tasks) {
      const targets = (await task.targets()) ?? [];
      for (const [place, target] of targets.slice(0, task.quickTargets ?? 0).entries())
        quick.push({ task, target, place });
    }
    for (const { task, target } of quick.toSorted((one, other) => one.place - other.place)) {
      try {
        const piece = await target.next();
        if (!piece) continue;
        await this.#fill(task, piece);
        failures.answered();
      } catch (error) {
        failures.add(error);
        await this.#pause(PAUSE_MIN_MS);
      }
    }
  }

  /** Requests everything that is left of a task; returns how many of its targets failed. */
  async #round(task: BackfillTask): Promise<number> {
    const targets = await task.targets();
    if (!targets) return 0;
    const waiting = [...targets];
    const failures = new RoundFailures(task.venue, this.#options.log);
    for (let target = this.#take(waiting); target; target = this.#take(waiting)) {
      this.#publish(task, waiting.length + 1 + failures.count);
      try {
        if (!(await this.#complete(task, target, { waiting, failures }))) waiting.unshift(target);
      } catch (error) {
        // Otherwise the next round would start with it, and fail there again.
        this.#demanded.delete(target.market ?? '');
        failures.add(error);
        await this.#pause(PAUSE_MIN_MS);
      }
    }
    this.#publish(task, failures.count);
    return failures.count;
  }

  /** The next target, which is no longer waiting. */
  #take(waiting: BackfillTarget[]): BackfillTarget | undefined {
    const at = waiting.findIndex((target) => this.#isDemanded(target));
    return waiting.splice(Math.max(0, at), 1)[0];
  }

  #isDemanded({ market }: BackfillTarget): boolean {
    return market !== undefined && this.#demanded.has(market);
  }

  /** Requests the rest of a target; returns whether it is complete. Stops early if another one is demanded. */
  async #complete(
    task: BackfillTask,
    target: BackfillTarget,
    { waiting, failures }: Round,
  ): Promise<boolean> {
    for (let piece = await target.next(); piece; piece = await target.next()) {
      await this.#fill(task, piece);
      failures.answered();
      if (!this.#isDemanded(target) && waiting.some((other) => this.#isDemanded(other))) return false;
    }
    this.#demanded.delete(target.market ?? '');
    return true;
  }

  async #fill(task: BackfillTask, piece: BackfillPiece): Promise<void> {
    const weight = await piece.fill((read) => this.#ask(read));
    const pauseMs = (weight / (MINUTE_SHARE * task.weightPerMinute)) * MINUTE_MS;
    await this.#pause(Math.max(PAUSE_MIN_MS, pauseMs));
  }

  #pause(ms: number): Promise<void> {
    return sleep(this.#options.clock, ms, this.#stopping.signal);
  }

  /** Runs after all other requests, then pauses so that the venue, which may be a simulated one, can do other work. */
  #ask<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    let tookMs = 0;
    const answer = this.#asking.then(async () => {
      signal.throwIfAborted();
      const fromMs = clock.now();
      this.#requests += 1;
      try {
        return await read();
      } finally {
        tookMs = clock.now() - fromMs;
      }
    });
    this.#asking = answer.then(() => sleep(clock, REST_FACTOR * tookMs, signal)).catch(() => undefined);
    return answer;
  }

  #publish(changed: BackfillTask, left: number): void {
    this.#left.set(changed, left);
    const tasks = [...this.#tasks.values()].flat();
    const leftOf = (kind: BackfillTask['kind']): { isDone: boolean; left: number } => {
      const counts = tasks.filter((task) => task.kind === kind).map((task) => this.#left.get(task));
      const sum = counts.reduce<number>((total, one) => total + (one ?? 0), 0);
      return { isDone: sum === 0 && !counts.includes(undefined), left: sum };
    };
    this.#most.set(changed, Math.max(left, this.#most.get(changed) ?? 0));
    const candles = leftOf('candles');
    this.#logProgress(candles);
    const samples = leftOf('samples');
    this.#options.bus.publish(backfillTopic, {
      isDone: candles.isDone,
      marketsLeft: candles.left,
      requests: this.#requests,
      histories: { isDone: samples.isDone, seriesLeft: samples.left },
    });
  }

  /** In tenths, for the terminal. Logs nothing if everything was complete at the start. */
  #logProgress({ isDone, left }: { readonly isDone: boolean; readonly left: number }): void {
    if (this.#progress === 1 || this.#requests === 0) return;
    const { log } = this.#options;
    const ofCandles = [...this.#most].filter(([{ kind }]) => kind === 'candles');
    const most = ofCandles.reduce((sum, [, count]) => sum + count, 0);
    // A venue whose markets are unknown yet may add some.
    const progress = isDone ? 1 : Math.min(9, Math.floor((10 * (most - left)) / most)) / 10;
    if (most === 0 || progress <= this.#progress) return;
    this.#progress = progress;
    if (isDone) log.info({ requests: this.#requests }, 'candles from before the record are complete');
    else log.info({ progress, marketsLeft: left }, 'requesting candles from before the record');
  }
}

interface Round {
  readonly waiting: readonly BackfillTarget[];
  readonly failures: RoundFailures;
}

/** Decides whether a round continues after failed targets. */
class RoundFailures {
  readonly #venue: string;
  readonly #log: Log;
  #unanswered = 0;
  count = 0;

  constructor(venue: string, log: Log) {
    this.#venue = venue;
    this.#log = log;
  }

  answered(): void {
    this.#unanswered = 0;
  }

  /** Throws errors that concern the whole venue. */
  add(error: unknown): void {
    const status = error instanceof SourceFailure ? error.status : 'down';
    if (isAbort(error) || status === 'limited' || status === 'blocked') throw error;
    if (status === 'changed') this.answered();
    else this.#unanswered += 1;
    if (this.#unanswered > UNANSWERED_MAX || this.count === FAILED_MAX) throw error;
    this.count += 1;
    report(this.#log, this.#venue, error);
  }
}

/** The health of the source reports the venue's answers; a source that stops before the back-fill aborts a request. */
function report(log: Log, venue: string, error: unknown): void {
  if (error instanceof SourceFailure || isAbort(error)) return;
  log.error({ err: error, venue }, "the venue's history cannot be stored");
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
