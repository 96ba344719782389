import type { BuildStats } from '@crosstape/core';
import type { BlobStore, FoundBlob } from '../../store/blob-store.ts';
import type { Store, Table } from '../../store/store.ts';

const JOB_KEPT_MS = 60 * 60_000;
const RESULT_KEPT_MS = 24 * 60 * 60_000;
/** Most jobs that are kept. */
export const JOBS_MAX = 10_000;
/** Rows removed at a time. */
const PRUNE_ROWS = 200;

/** A build, from its submission on. */
export interface RotationRecord {
  /** Begins with its time, so that jobs are in order of submission. */
  readonly id: string;
  /** The gateway that took it, of several. */
  readonly owner?: string;
  /** Hash of the whole spec, defaults included. */
  readonly specHash: string;
  /** Key of the result once there is one. */
  readonly resultKey: string;
  readonly submittedAtMs: number;
  readonly isDegraded: boolean;
  readonly status: 'queued' | 'running' | 'done' | 'error';
  /** Trades read so far, the total, and the bars that they have closed. */
  readonly trades: number;
  readonly totalTrades: number;
  readonly bars: number;
  readonly error?: string;
  readonly stats?: BuildStats;
  readonly endedAtMs?: number;
}

/** The gzipped pack of a build that is done. */
export interface StoredResult {
  readonly pack: Uint8Array;
  readonly endedAtMs: number;
}

export function isExpired({ endedAtMs }: RotationRecord, nowMs: number): boolean {
  return endedAtMs !== undefined && nowMs >= endedAtMs + JOB_KEPT_MS;
}

export function isResultExpired({ endedAtMs }: Pick<StoredResult, 'endedAtMs'>, nowMs: number): boolean {
  return nowMs >= endedAtMs + RESULT_KEPT_MS;
}

/** Builds in the store of the tape, and their results beside it: results may be evicted before their time. */
export class RotationTable {
  readonly #store: Store;
  readonly #results: BlobStore;
  readonly #jobs: Table<RotationRecord>;

  constructor(store: Store, results: BlobStore) {
    this.#store = store;
    this.#results = results;
    this.#jobs = store.table<RotationRecord>('jobs', 'json');
  }

  async jobs(): Promise<readonly RotationRecord[]> {
    return (await this.#jobs.range({ limit: JOBS_MAX })).map(({ value }) => value);
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#store.commit([this.#jobs.removes(ids.map((id) => [id]))]);
  }

  async job(id: string): Promise<RotationRecord | undefined> {
    return this.#jobs.get([id]);
  }

  async save(...jobs: readonly RotationRecord[]): Promise<void> {
    await this.#store.commit([this.#jobs.puts(jobs.map((job) => ({ key: [job.id], value: job })))]);
  }

  /** The result is stored first: a job that is done has one. */
  async finish(job: RotationRecord, endedAtMs: number, pack: Uint8Array): Promise<void> {
    await this.#results.put(job.resultKey, { data: pack, storedAtMs: endedAtMs });
    await this.save(job);
  }

  async result(key: string): Promise<StoredResult | undefined> {
    const blob = await this.#results.get(key);
    return blob && { pack: blob.data, endedAtMs: blob.storedAtMs };
  }

  /** The result, to be read as it is sent. */
  async findResult(key: string): Promise<FoundBlob | undefined> {
    return this.#results.find(key);
  }

  /** Removes expired jobs and results. */
  async prune(nowMs: number): Promise<void> {
    for (let isMore = true; isMore; ) isMore = await this.#pruneJobs(nowMs);
    await this.#results.prune(nowMs - RESULT_KEPT_MS + 1);
  }

  async #pruneJobs(nowMs: number): Promise<boolean> {
    const rows = await this.#jobs.range({ limit: PRUNE_ROWS });
    const old = rows.filter(({ value }) => isExpired(value, nowMs)).map(({ key }) => key);
    if (old.length > 0) await this.#store.commit([this.#jobs.removes(old)]);
    return old.length === PRUNE_ROWS;
  }
}
