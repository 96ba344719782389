import type { Clock, Timer } from '@crosstape/core';
import type { Unsubscribe } from '../platform/bus.ts';
import { Failure } from '../platform/errors.ts';
import type { JobRunner } from '../platform/jobs.ts';
import {
  isExpired,
  JOBS_MAX,
  type RotationRecord,
  type RotationShelf,
  type StoredResult,
} from '../store/rotation-shelf.ts';
import { type BuildOutcome, buildBarsTask } from './build-bars.ts';
import { defaultTick } from './default-tick.ts';
import { type Prepared, type PrepareOptions, prepareBuild } from './prepare-build.ts';
import { jobOf, type RotationJob, rotationTopic } from './rotation-job.ts';
import { hashOf, type RotationRequest, specOf } from './rotation-spec.ts';

/** An identical build is used again for so long after its submission. */
const REUSE_MS = 5 * 60_000;
/** Builds of one caller that wait or run at a time … */
const LIVE_PER_CALLER_MAX = 2;
/** … and of all callers. */
const LIVE_MAX = 32;
const BUILD_TIMEOUT_MS = 10 * 60_000;
const PRUNE_EVERY_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
/** Results that could not be written, and are kept in memory; beyond it the oldest leaves. */
const UNWRITTEN_RESULTS_MAX = 64;
const KEY_PREFIX = 'rot:res:';
const LOST = 'The service stopped before it was done; submit it again.';

export interface RotationsOptions extends PrepareOptions {
  readonly clock: Clock;
  readonly shelf: RotationShelf;
  /** Where builds run. */
  readonly jobs: JobRunner;
  /** Id of the venue whose trades are the tape. */
  readonly venue: string;
  readonly tickAt: (price: number, sizeDecimals: number) => number;
}

export interface Submission {
  readonly jobId: string;
  readonly cacheKey: string;
  readonly cached: boolean;
  readonly degraded: boolean;
}

interface Build {
  record: RotationRecord;
  readonly caller: string;
  /** Known once it has been seen what there is to build from. */
  readonly prepared: Promise<void>;
  /** Absent for builds of a process before this one. */
  readonly ended?: Promise<void>;
}

/** Builds of bars: submitted, followed, and fetched when they are done. */
export class Rotations {
  readonly #options: RotationsOptions;
  /** Every job that is kept, oldest first. */
  readonly #builds = new Map<string, Build>();
  /** The newest job of each spec. */
  readonly #newest = new Map<string, string>();
  readonly #unwritten = new Map<string, StoredResult>();
  readonly #stopping = new AbortController();
  readonly #timer: Timer;
  #submissions = 0;

  /** Takes up the jobs of the process before; those that it left unfinished have failed. */
  static async start(options: RotationsOptions): Promise<Rotations> {
    const rotations = new Rotations(options);
    await rotations.#restore();
    return rotations;
  }

  private constructor(options: RotationsOptions) {
    this.#options = options;
    this.#timer = options.clock.every(PRUNE_EVERY_MS, () => void this.#prune());
  }

  /** Rejects with a `Failure` that says what is wrong, or when to try again. */
  async submit(request: RotationRequest, caller: string): Promise<Submission> {
    const { clock } = this.#options;
    const nowMs = clock.now();
    const spec = specOf(request, () => defaultTick(this.#options, request.coin));
    const specHash = hashOf(spec);
    const known = this.#reusable(specHash, nowMs);
    if (known) return submissionOf(known, true);
    this.#makeRoom(caller);
    this.#submissions += 1;
    const record: RotationRecord = {
      id: `b-${nowMs.toString(36)}-${this.#submissions.toString(36)}${specHash.slice(0, 6)}`,
      specHash,
      resultKey: KEY_PREFIX + hashOf(spec, nowMs),
      submittedAtMs: nowMs,
      isDegraded: spec.degraded === true,
      status: 'queued',
      trades: 0,
      totalTrades: 0,
      bars: 0,
    };
    // From here to the map nothing waits, so that of two identical submissions one finds the other.
    const preparing = prepareBuild(spec, nowMs, this.#options);
    const build: Build = {
      record,
      caller,
      prepared: preparing.then(
        ({ isDegraded }) => this.#move(build, { isDegraded }),
        () => undefined,
      ),
      ended: preparing.then((order) => this.#run(build, order)).catch((error) => this.#fail(build, error)),
    };
    this.#builds.set(record.id, build);
    this.#newest.set(specHash, record.id);
    return submissionOf(build, false);
  }

  /** Where a build stands; `undefined` when it is unknown or has had its time. */
  async job(id: string): Promise<RotationJob | undefined> {
    const { clock, shelf } = this.#options;
    const record = this.#builds.get(id)?.record ?? (await shelf.job(id));
    return record && !isExpired(record, clock.now()) ? jobOf(record) : undefined;
  }

  /** Tells every move of a build from now on. */
  watch(id: string, listener: (job: RotationJob) => void): Unsubscribe {
    return this.#options.bus.subscribe(rotationTopic, (news) => {
      if (news.id === id) listener(news.job);
    });
  }

  /** The gzipped pack; `undefined` when there is none under this key. */
  async result(key: string): Promise<StoredResult | undefined> {
    return this.#unwritten.get(key) ?? this.#options.shelf.result(key);
  }

  /** Gives up what is under way. */
  async stop(): Promise<void> {
    this.#timer.cancel();
    this.#stopping.abort('The service is stopping; submit it again later.');
    await Promise.all([...this.#builds.values()].flatMap(({ ended }) => ended ?? []));
  }

  #reusable(specHash: string, nowMs: number): Build | undefined {
    const build = this.#builds.get(this.#newest.get(specHash) ?? '');
    if (!build || build.record.status === 'error') return undefined;
    return nowMs - build.record.submittedAtMs < REUSE_MS ? build : undefined;
  }

  #makeRoom(caller: string): void {
    const live = [...this.#builds.values()].filter(({ record }) => record.endedAtMs === undefined);
    const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    if (live.filter((build) => build.caller === caller).length >= LIVE_PER_CALLER_MAX) {
      const text = `Only ${LIVE_PER_CALLER_MAX} builds of a caller may wait or run at a time.`;
      throw new Failure('rate_limited', text, details);
    }
    if (live.length >= LIVE_MAX || this.#builds.size >= JOBS_MAX || this.#stopping.signal.aborted) {
      throw new Failure('overloaded', 'Too many builds wait already.', details);
    }
  }

  async #run(build: Build, prepared: Prepared): Promise<void> {
    if ('refused' in prepared) return this.#end(build, { status: 'error', error: prepared.refused });
    const { clock, jobs } = this.#options;
    const late = new AbortController();
    const timer = clock.after(BUILD_TIMEOUT_MS, () =>
      late.abort(`It took longer than ${BUILD_TIMEOUT_MS} ms.`),
    );
    const signal = AbortSignal.any([late.signal, this.#stopping.signal]);
    const { order } = prepared;
    await this.#write(() => this.#options.shelf.save(build.record));
    try {
      signal.throwIfAborted();
      const outcome = await jobs.run(buildBarsTask, order, {
        signal,
        onProgress: (progress) => this.#move(build, { status: 'running', ...progress }),
      });
      await this.#finish(build, outcome);
    } catch (error) {
      if (!signal.aborted) throw error;
      await this.#end(build, { status: 'error', error: String(signal.reason) });
    } finally {
      timer.cancel();
    }
  }

  async #finish(build: Build, outcome: BuildOutcome): Promise<void> {
    if ('refused' in outcome) return this.#end(build, { status: 'error', error: outcome.refused });
    const { pack, stats } = outcome;
    const { trades, bars } = stats;
    await this.#end(build, { status: 'done', trades, totalTrades: trades, bars, stats }, pack);
  }

  async #fail(build: Build, error: unknown): Promise<void> {
    const { id } = build.record;
    this.#options.log.error({ id, err: error }, 'a build failed on our side');
    await this.#end(build, { status: 'error', error: `Something went wrong on our side; its id is ${id}.` });
  }

  /** The result is there before anybody is told of it. */
  async #end(build: Build, change: Partial<RotationRecord>, pack?: Uint8Array): Promise<void> {
    const { clock, shelf } = this.#options;
    const endedAtMs = clock.now();
    const record = { ...build.record, ...change, endedAtMs };
    const isWritten = await this.#write(() =>
      pack ? shelf.finish(record, endedAtMs, pack) : shelf.save(record),
    );
    if (pack && !isWritten) this.#hold(record.resultKey, { pack, endedAtMs });
    this.#move(build, record);
  }

  #hold(key: string, result: StoredResult): void {
    this.#unwritten.set(key, result);
    const [oldest] = this.#unwritten.keys();
    if (this.#unwritten.size > UNWRITTEN_RESULTS_MAX && oldest !== undefined) this.#unwritten.delete(oldest);
  }

  #move(build: Build, change: Partial<RotationRecord>): void {
    build.record = { ...build.record, ...change };
    const { id } = build.record;
    this.#options.bus.publish(rotationTopic, { id, job: jobOf(build.record) });
  }

  /** A store that cannot be written to stops no build: jobs and results then live in memory. */
  async #write(write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      this.#options.log.error({ error }, 'a build cannot be written; it is kept in memory');
      return false;
    }
  }

  async #restore(): Promise<void> {
    const { clock, shelf } = this.#options;
    let records: readonly RotationRecord[] = [];
    await this.#write(async () => {
      records = await shelf.jobs();
    });
    const endedAtMs = clock.now();
    const lost = records
      .filter((record) => record.endedAtMs === undefined)
      .map((record) => ({ ...record, status: 'error' as const, error: LOST, endedAtMs }));
    await this.#write(() => shelf.save(...lost));
    for (const record of [...records.filter((one) => one.endedAtMs !== undefined), ...lost]) {
      this.#builds.set(record.id, { record, caller: '', prepared: Promise.resolve() });
      this.#newest.set(record.specHash, record.id);
    }
    await this.#prune();
  }

  async #prune(): Promise<void> {
    const nowMs = this.#options.clock.now();
    for (const [id, { record }] of this.#builds) {
      if (!isExpired(record, nowMs)) continue;
      this.#builds.delete(id);
      if (this.#newest.get(record.specHash) === id) this.#newest.delete(record.specHash);
    }
    await this.#write(() => this.#options.shelf.prune(nowMs));
  }
}

async function submissionOf(build: Build, cached: boolean): Promise<Submission> {
  await build.prepared;
  const { id, resultKey, isDegraded } = build.record;
  return { jobId: id, cacheKey: resultKey, cached, degraded: isDegraded };
}
