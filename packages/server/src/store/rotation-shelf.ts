import type { BuildStats } from '@crosstape/core';
import type { Key, Store, Table } from './store.ts';

const JOB_KEPT_MS = 60 * 60_000;
const RESULT_KEPT_MS = 24 * 60 * 60_000;
/** Most jobs that are kept; whoever submits one more has to wait. */
export const JOBS_MAX = 10_000;
/** Most bytes of results; beyond it the oldest leave before their time. */
const RESULT_BYTES_MAX = 4 * 2 ** 30;
const RESULTS_MAX = 1_000_000;
/** Rows removed at a time. */
const PRUNE_ROWS = 200;

/** A build, from its submission on. */
export interface RotationRecord {
  /** Begins with its time, so that jobs lie in the order of submission. */
  readonly id: string;
  /** The gateway that took it, of several. */
  readonly owner?: string;
  /** Of everything that was asked for, defaults included. */
  readonly specHash: string;
  /** Where the result lies once there is one. */
  readonly resultKey: string;
  readonly submittedAtMs: number;
  readonly isDegraded: boolean;
  readonly status: 'queued' | 'running' | 'done' | 'error';
  /** Trades read so far, of so many, and the bars that they have closed. */
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

/** Builds and their results, each for its time. */
export class RotationShelf {
  readonly #store: Store;
  readonly #resultBytesMax: number;
  readonly #jobs: Table<RotationRecord>;
  readonly #results: Table<Uint8Array>;
  /** By time of completion: how many bytes. */
  readonly #ages: Table<number>;
  /** Unknown until they are first counted. */
  #resultBytes: number | undefined;

  constructor(
    store: Store,
    { resultBytesMax = RESULT_BYTES_MAX }: { readonly resultBytesMax?: number } = {},
  ) {
    this.#store = store;
    this.#resultBytesMax = resultBytesMax;
    this.#jobs = store.table<RotationRecord>('jobs', 'json');
    this.#results = store.table('results', 'binary');
    this.#ages = store.table<number>('result-ages', 'json');
  }

  async jobs(): Promise<readonly RotationRecord[]> {
    return (await this.#jobs.range({ limit: JOBS_MAX })).map(({ value }) => value);
  }

  async job(id: string): Promise<RotationRecord | undefined> {
    return this.#jobs.get([id]);
  }

  async save(...jobs: readonly RotationRecord[]): Promise<void> {
    await this.#store.commit([this.#jobs.puts(jobs.map((job) => ({ key: [job.id], value: job })))]);
  }

  /** A build that is done and its result, in one commit. */
  async finish(job: RotationRecord, endedAtMs: number, pack: Uint8Array): Promise<void> {
    await this.#store.commit([
      this.#jobs.puts([{ key: [job.id], value: job }]),
      this.#results.puts([{ key: [job.resultKey, endedAtMs], value: pack }]),
      this.#ages.puts([{ key: [endedAtMs, job.resultKey], value: pack.length }]),
    ]);
    if (this.#resultBytes !== undefined) this.#resultBytes += pack.length;
  }

  async result(key: string): Promise<StoredResult | undefined> {
    const [row] = await this.#results.range({ from: [key], to: [key, Number.MAX_SAFE_INTEGER], limit: 1 });
    return row && { pack: row.value, endedAtMs: row.key[1] as number };
  }

  /** Forgets what has had its time. */
  async prune(nowMs: number): Promise<void> {
    for (let isMore = true; isMore; ) isMore = await this.#pruneJobs(nowMs);
    this.#resultBytes ??= await this.#countResultBytes();
    for (let isMore = true; isMore; ) isMore = await this.#pruneResults(nowMs);
  }

  async #pruneJobs(nowMs: number): Promise<boolean> {
    const rows = await this.#jobs.range({ limit: PRUNE_ROWS });
    const old = rows.filter(({ value }) => isExpired(value, nowMs)).map(({ key }) => key);
    if (old.length > 0) await this.#store.commit([this.#jobs.removes(old)]);
    return old.length === PRUNE_ROWS;
  }

  async #pruneResults(nowMs: number): Promise<boolean> {
    const rows = await this.#ages.range({ limit: PRUNE_ROWS });
    const bytes = this.#resultBytes ?? 0;
    let freed = 0;
    const old: Key[] = [];
    for (const { key, value } of rows) {
      const isOld = isResultExpired({ endedAtMs: key[0] as number }, nowMs);
      if (!isOld && bytes - freed <= this.#resultBytesMax) break;
      freed += value;
      old.push(key);
    }
    if (old.length === 0) return false;
    const keys = old.map(([endedAtMs, key]) => [key as string, endedAtMs as number]);
    await this.#store.commit([this.#ages.removes(old), this.#results.removes(keys)]);
    // Others may have been finished meanwhile.
    this.#resultBytes = (this.#resultBytes ?? 0) - freed;
    return old.length === PRUNE_ROWS;
  }

  async #countResultBytes(): Promise<number> {
    const rows = await this.#ages.range({ limit: RESULTS_MAX });
    return rows.reduce((sum, { value }) => sum + value, 0);
  }
}
