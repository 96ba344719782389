import { networkOf } from '../../platform/client-address.ts';
import { Failure } from '../../platform/errors.ts';
import { wasSetBack } from '../../platform/set-back.ts';
import { isExpired, JOBS_MAX, type RotationRecord } from './rotation-table.ts';
import { BEING_CREATED } from '../tape/tape-coverage.ts';
import type { LiveMax } from './build-coordinator.ts';

/** An identical build is used again for this long after its submission. */
export const REUSE_MS = 5 * 60_000;
/** Builds that wait or run at a time. */
export const liveMax: LiveMax = { caller: 2, address: 4, network: 8, all: 32 };
/** Ended builds of one caller that are kept; the oldest is removed for a new one. */
const ENDED_PER_CALLER_MAX = 100;
export const RETRY_AFTER_SECONDS = 5;

export interface Build {
  record: RotationRecord;
  /** Empty for builds of a process before this one. */
  readonly caller: string;
  readonly address: string;
  /** Resolves when the inputs are known, or that it waits for the first-run history. */
  readonly prepared: Promise<unknown>;
  /** Absent for builds of a process before this one. */
  readonly ended?: Promise<void>;
}

/**
 * Whether identical requests may get this build. An ended one is refused to them when it failed, was made of the newest
 * trades only, or covers history that was still being created: a new build would have more.
 */
export function isReusable({ status, isDegraded, endedAtMs, stats }: RotationRecord): boolean {
  if (status === 'error') return false;
  if (endedAtMs === undefined) return true;
  return !isDegraded && stats?.gaps.some(({ reason }) => reason === BEING_CREATED) !== true;
}

/** The builds of this process: those that wait or run, and those that ended within the last hour. */
export class KeptBuilds {
  /** Oldest first. */
  readonly #builds = new Map<string, Build>();
  /** The newest job of each spec. */
  readonly #newest = new Map<string, string>();

  get(id: string): Build | undefined {
    return this.#builds.get(id);
  }

  all(): readonly Build[] {
    return [...this.#builds.values()];
  }

  /** Bars of a result, if its job is still kept. */
  barsOf(resultKey: string): number | undefined {
    return this.all().find(({ record }) => record.resultKey === resultKey && record.status === 'done')?.record
      .bars;
  }

  /** Whether further builds are refused, for every caller. */
  get isFull(): boolean {
    return this.#live().length >= liveMax.all;
  }

  add(build: Build): void {
    this.#builds.set(build.record.id, build);
    this.#newest.set(build.record.specHash, build.record.id);
  }

  reusable(specHash: string, nowMs: number): Build | undefined {
    const build = this.#builds.get(this.#newest.get(specHash) ?? '');
    if (!build || !isReusable(build.record)) return undefined;
    const { submittedAtMs } = build.record;
    return nowMs - submittedAtMs < REUSE_MS && !wasSetBack(submittedAtMs, nowMs) ? build : undefined;
  }

  /** Throws if a caller, its address, its network or all together have too many pending builds. */
  checkLive(caller: string, address: string): void {
    const live = this.#live();
    const count = (isCounted: (build: Build) => boolean): number => live.filter(isCounted).length;
    const network = networkOf(address);
    if (count((build) => build.caller === caller) >= liveMax.caller) throw tooMany('caller');
    if (count((build) => build.address === address) >= liveMax.address) throw tooMany('address');
    if (count((build) => networkOf(build.address) === network) >= liveMax.network) throw tooMany('network');
    if (live.length >= liveMax.all) throw tooMany('all');
  }

  /** Makes room for a new build of a caller by removing ended ones. Returns the removed ids. */
  evict(caller: string): readonly string[] {
    const ended = this.all().filter(({ record }) => record.endedAtMs !== undefined);
    const own = ended.filter((build) => build.caller === caller);
    const old = new Set([
      ...own.slice(0, Math.max(0, own.length - ENDED_PER_CALLER_MAX + 1)),
      ...ended.slice(0, Math.max(0, this.#builds.size - JOBS_MAX + 1)),
    ]);
    for (const { record } of old) this.#remove(record);
    return [...old].map(({ record }) => record.id);
  }

  prune(nowMs: number): void {
    for (const { record } of this.all()) if (isExpired(record, nowMs)) this.#remove(record);
  }

  #live(): readonly Build[] {
    return this.all().filter(({ record }) => record.endedAtMs === undefined);
  }

  #remove({ id, specHash }: RotationRecord): void {
    this.#builds.delete(id);
    if (this.#newest.get(specHash) === id) this.#newest.delete(specHash);
  }
}

export function tooMany(of: keyof LiveMax): Failure {
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  if (of === 'all') return new Failure('overloaded', 'Too many builds are queued.', { retryAfterSeconds });
  const text = `Only ${liveMax[of]} builds of ${of === 'address' ? 'an' : 'a'} ${of} may wait or run at a time.`;
  return new Failure('rate_limited', text, { retryAfterSeconds });
}
