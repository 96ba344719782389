import { hash } from 'node:crypto';
import { type Clock, sleep, type Timer } from '@crosstape/core';
import { whenRecorded } from '../tape/tape-opening.ts';
import type { Unsubscribe } from '../../platform/bus.ts';
import { Failure } from '../../platform/errors.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import { systemClock } from '../../platform/system-clock.ts';
import type { FoundBlob } from '../../store/blob-store.ts';
import {
  isExpired,
  isResultExpired,
  type RotationRecord,
  type RotationTable,
  type StoredResult,
} from './rotation-table.ts';
import { streamBytes } from '../../platform/stream-bytes.ts';
import { type BuildOutcome, buildBarsTask } from './build-bars.ts';
import type { BuildClaim, BuildCoordinator } from './build-coordinator.ts';
import type { MarketReader } from '../market-tape/market-reader.ts';
import { defaultTick, marketTick } from './default-tick.ts';
import { type Build, isReusable, KeptBuilds, RETRY_AFTER_SECONDS, tooMany } from './kept-builds.ts';
import { type Prepared, type PrepareOptions, prepareBuild } from './prepare-build.ts';
import { prepareMerged } from './prepare-members.ts';
import { jobOf, type RotationJob, type RotationNews, rotationTopic } from './rotation-job.ts';
import { hashOf, type RotationRequest, type RotationSpec, specOf, windowOf } from './rotation-spec.ts';
import { UnwrittenResults } from './unwritten-results.ts';

export const BUILD_TIMEOUT_MS = 10 * 60_000;
const PRUNE_EVERY_MS = 60_000;
const KEY_PREFIX = 'rot:res:';
/** Reports of other gateways' builds are remembered for this many. */
const NEWS_MAX = 1_000;
/** How long, and how often, a build that another gateway has just taken is looked for. */
const KNOWN_TRIES = 30;
const KNOWN_EVERY_MS = 100;
const LOST = 'The service stopped before it was done; submit it again.';

export interface RotationsOptions extends PrepareOptions {
  readonly clock: Clock;
  readonly table: RotationTable;
  /** Where builds run. */
  readonly jobs: JobRunner;
  /** Id of the venue whose trades are the tape. */
  readonly venue: string;
  readonly tickAt: (price: number, sizeDecimals: number) => number;
  /** The tapes of other venues' markets; absent if none is recorded. */
  readonly markets?: MarketReader;
  /** With several gateways: coordinates builds. */
  readonly coordinator?: BuildCoordinator;
}

export interface Submission {
  readonly jobId: string;
  readonly cacheKey: string;
  readonly cached: boolean;
  readonly degraded: boolean;
}

/** Builds of bars: submitted, followed, and fetched when they are done. */
export class Rotations {
  readonly #options: RotationsOptions;
  readonly #builds = new KeptBuilds();
  readonly #unwritten = new UnwrittenResults();
  readonly #stopping = new AbortController();
  /** The state of builds of other gateways. */
  readonly #news = new Map<string, RotationJob>();
  readonly #timer: Timer;
  readonly #leave: Unsubscribe;
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
    this.#leave = options.coordinator
      ? options.bus.subscribe(rotationTopic, (news) => this.#receive(news))
      : () => undefined;
  }

  /** Rejects with a `Failure` that says what is wrong, or when to retry. */
  async submit(request: RotationRequest, caller: string, address = caller): Promise<Submission> {
    const { clock } = this.#options;
    const nowMs = clock.now();
    const { coin, market } = request;
    const spec = specOf(request, () => (market ? marketTick(market) : defaultTick(this.#options, coin)));
    const specHash = hashOf(spec);
    const known = this.#builds.reusable(specHash, nowMs);
    if (known) return submissionOf(known, true);
    if (this.#stopping.signal.aborted) throw tooMany('all');
    this.#builds.checkLive(caller, address);
    const evicted = this.#builds.evict(caller);
    if (evicted.length > 0) void this.#write(() => this.#options.table.remove(evicted));
    this.#submissions += 1;
    const { coordinator } = this.#options;
    const claim = { id: this.#newId(nowMs, specHash), specHash, caller, address };
    const elsewhere = coordinator && (await this.#claim(coordinator, claim));
    if (elsewhere) return elsewhere;
    const record: RotationRecord = {
      id: claim.id,
      ...(coordinator && { owner: coordinator.owner }),
      specHash,
      resultKey: KEY_PREFIX + hashOf(spec, nowMs),
      submittedAtMs: nowMs,
      isDegraded: spec.degraded === true,
      status: 'queued',
      trades: 0,
      totalTrades: 0,
      bars: 0,
    };
    // Synchronous from here to the map, so that one of two identical submissions finds the other.
    const waiting = this.#recorded(spec, nowMs);
    const prepare = (): Promise<Prepared> => this.#prepare(spec, nowMs);
    const preparing = waiting ? waiting.then(prepare) : prepare();
    const prepared = preparing.then(
      ({ isDegraded }) => this.#prepared(build, isDegraded),
      () => undefined,
    );
    const build: Build = {
      record,
      caller,
      address,
      prepared: waiting ? this.#write(() => this.#options.table.save(record)) : prepared,
      ended: preparing.then((order) => this.#run(build, order)).catch((error) => this.#fail(build, error)),
    };
    this.#builds.add(build);
    return submissionOf(build, false);
  }

  /** The state of a build; `undefined` if unknown or expired. */
  async job(id: string): Promise<RotationJob | undefined> {
    const { clock, table } = this.#options;
    const own = this.#builds.get(id)?.record;
    const record = own ?? (await table.job(id));
    if (!record || isExpired(record, clock.now())) return undefined;
    if (own || record.endedAtMs !== undefined) return jobOf(record);
    return this.#elsewhere(record);
  }

  /** The state of a build of another gateway. If that gateway has failed, so has the build. */
  async #elsewhere(record: RotationRecord): Promise<RotationJob> {
    const { clock, table, coordinator } = this.#options;
    // A process that cannot be looked up does not count as failed.
    const isAlive = !coordinator || (await coordinator.isAlive(record.owner ?? '').catch(() => true));
    if (isAlive) return this.#news.get(record.id) ?? jobOf(record);
    // It may have ended since it was read.
    const newest = (await table.job(record.id)) ?? record;
    if (newest.endedAtMs !== undefined) return jobOf(newest);
    const lost: RotationRecord = { ...newest, status: 'error', error: LOST, endedAtMs: clock.now() };
    await this.#write(() => table.save(lost));
    await this.#write(() => coordinator.end(lost, false));
    return jobOf(lost);
  }

  #receive({ id, job }: RotationNews): void {
    if (this.#builds.get(id)) return;
    this.#news.delete(id);
    this.#news.set(id, job);
    const [oldest] = this.#news.keys();
    if (this.#news.size > NEWS_MAX && oldest !== undefined) this.#news.delete(oldest);
  }

  /** Reports every change of a build from now on. */
  watch(id: string, listener: (job: RotationJob) => void): Unsubscribe {
    return this.#options.bus.subscribe(rotationTopic, (news) => {
      if (news.id === id) listener(news.job);
    });
  }

  /** Whether further builds are refused, for every caller. */
  get isFull(): boolean {
    return this.#builds.isFull;
  }

  /** Bars of a result, while its job is kept. */
  barsOf(resultKey: string): number | undefined {
    return this.#builds.barsOf(resultKey);
  }

  /** The gzipped pack; `undefined` if the key has none. */
  async result(key: string): Promise<StoredResult | undefined> {
    return this.#unwritten.get(key) ?? this.#options.table.result(key);
  }

  /** The same result as a stream. */
  async findResult(key: string): Promise<FoundBlob | undefined> {
    const held = this.#unwritten.get(key);
    if (!held) return this.#options.table.findResult(key);
    const { pack, endedAtMs } = held;
    return { bytes: pack.length, storedAtMs: endedAtMs, stream: () => streamBytes(pack) };
  }

  /** Aborts running builds. */
  async stop(): Promise<void> {
    this.#timer.cancel();
    this.#leave();
    this.#stopping.abort('The service is stopping; submit it again later.');
    await Promise.all(this.#builds.all().flatMap(({ ended }) => ended ?? []));
    this.#options.coordinator?.stop();
  }

  #newId(nowMs: number, specHash: string): string {
    const owner = this.#options.coordinator ? hash('sha1', this.#options.coordinator.owner).slice(0, 6) : '';
    return `b-${nowMs.toString(36)}-${this.#submissions.toString(36)}${owner}${specHash.slice(0, 6)}`;
  }

  /** `undefined` if this gateway may build it; else the build of another. */
  async #claim(coordinator: BuildCoordinator, claim: BuildClaim): Promise<Submission | undefined> {
    const claimed = await coordinator.claim(claim).catch((error: unknown) => {
      // The server may have accepted it anyway.
      void coordinator.end(claim, false).catch(() => undefined);
      throw new Failure('overloaded', 'Builds cannot be taken at the moment.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        cause: error,
      });
    });
    if ('verdict' in claimed) {
      if (claimed.verdict === 'yours') return undefined;
      throw tooMany(claimed.verdict);
    }
    const own = this.#builds.get(claimed.knownId);
    if (own) return submissionOf(own, true);
    for (let tries = 0; tries < KNOWN_TRIES; tries += 1) {
      const record = await this.#options.table.job(claimed.knownId);
      if (record) return submissionOfRecord(record, true);
      await sleep(systemClock, KNOWN_EVERY_MS);
    }
    // It has no owner: its claim was never confirmed.
    await this.#write(() => coordinator.end({ id: claimed.knownId, specHash: claim.specHash }, false));
    throw tooMany('all');
  }

  #prepare(spec: RotationSpec, nowMs: number): Promise<Prepared> {
    const { market, aggregate } = spec;
    if (aggregate) return prepareMerged(spec, aggregate, nowMs, this.#options);
    const opened = market && this.#options.markets?.open(market);
    return prepareBuild(spec, nowMs, opened ? { ...this.#options, ...opened } : this.#options);
  }

  /**
   * A build from the record of the primary venue waits for the part of the first-run history that it is made from. The
   * history of other markets takes minutes: a build without it reports the gap, and is not reused.
   */
  #recorded(spec: RotationSpec, nowMs: number): Promise<void> | undefined {
    if (spec.degraded === true || spec.market) return undefined;
    return whenRecorded(this.#options.bus, windowOf(spec, nowMs).fromTs, this.#stopping.signal);
  }

  async #prepared(build: Build, isDegraded: boolean): Promise<void> {
    this.#move(build, { isDegraded });
    // Clients of other gateways may request it as soon as its id is known.
    if (this.#options.coordinator) await this.#write(() => this.#options.table.save(build.record));
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
    await this.#write(() => this.#options.table.save(build.record));
    try {
      signal.throwIfAborted();
      const outcome = await jobs.run(buildBarsTask, order, {
        signal,
        caller: build.address,
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
    const { aborted, reason } = this.#stopping.signal;
    if (aborted) return this.#end(build, { status: 'error', error: String(reason) });
    const { id } = build.record;
    this.#options.log.error({ id, err: error }, 'a build failed on our side');
    await this.#end(build, { status: 'error', error: `Internal error. Error id: ${id}.` });
  }

  /** The result is stored before it is announced. */
  async #end(build: Build, change: Partial<RotationRecord>, pack?: Uint8Array): Promise<void> {
    const { clock, table } = this.#options;
    const endedAtMs = clock.now();
    const record = { ...build.record, ...change, endedAtMs };
    const isWritten = await this.#write(() =>
      pack ? table.finish(record, endedAtMs, pack) : table.save(record),
    );
    if (pack && !isWritten) this.#unwritten.hold(record.resultKey, { pack, endedAtMs });
    const { coordinator } = this.#options;
    if (coordinator) await this.#write(() => coordinator.end(record, isReusable(record)));
    this.#move(build, record);
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
      this.#options.log.error({ err: error }, 'a build cannot be written; it is kept in memory');
      return false;
    }
  }

  async #restore(): Promise<void> {
    const { clock, table, coordinator } = this.#options;
    // They belong to the other gateways, or will be found in the table.
    if (coordinator) return this.#prune();
    let records: readonly RotationRecord[] = [];
    await this.#write(async () => {
      records = await table.jobs();
    });
    const endedAtMs = clock.now();
    const lost = records
      .filter((record) => record.endedAtMs === undefined)
      .map((record) => ({ ...record, status: 'error' as const, error: LOST, endedAtMs }));
    await this.#write(() => table.save(...lost));
    for (const record of [...records.filter((one) => one.endedAtMs !== undefined), ...lost]) {
      this.#builds.add({ record, caller: '', address: '', prepared: Promise.resolve() });
    }
    await this.#prune();
  }

  async #prune(): Promise<void> {
    const nowMs = this.#options.clock.now();
    this.#builds.prune(nowMs);
    this.#unwritten.prune((result) => isResultExpired(result, nowMs));
    await this.#write(() => this.#options.table.prune(nowMs));
  }
}

async function submissionOf(build: Build, cached: boolean): Promise<Submission> {
  await build.prepared;
  return submissionOfRecord(build.record, cached);
}

function submissionOfRecord({ id, resultKey, isDegraded }: RotationRecord, cached: boolean): Submission {
  return { jobId: id, cacheKey: resultKey, cached, degraded: isDegraded };
}
