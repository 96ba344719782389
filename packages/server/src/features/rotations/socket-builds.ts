import type { Clock } from '@crosstape/core';
import type { Unsubscribe } from '../../platform/bus.ts';
import { Failure } from '../../platform/errors.ts';
import { type RotationJob, servedStats } from './rotation-job.ts';
import type { Rotations } from './rotations.ts';
import type { SocketCaller } from '../../http/gate.ts';
import type { FrameId } from '../../gateway/client-frames.ts';
import type { BuildResponse } from './build-frames.ts';
import type { RotationRequest } from './rotation-spec.ts';

/** Builds that one socket follows at a time. */
const FOLLOWED_MAX = 16;
/** Progress is sent whenever another tenth is reached, and once in this time: never more than ten times a second. */
const TENTHS = 10;
const QUIET_MS_MAX = 1_000;
/** How often a build's state is polled: a builder that has failed reports nothing. */
const ASK_EVERY_MS = 5_000;

export interface BuildsOptions {
  readonly clock: Clock;
  readonly rotations: Pick<Rotations, 'submit' | 'job' | 'watch'>;
  readonly send: (frame: BuildResponse) => void;
}

/** The builds that one socket has requested. */
export class Builds {
  readonly #options: BuildsOptions;
  readonly #followed = new Set<Unsubscribe>();
  #isClosed = false;

  constructor(options: BuildsOptions) {
    this.#options = options;
  }

  /** Rejects when the build is not taken, or the request for it cannot be made. */
  async start(
    requested: () => Promise<RotationRequest>,
    { caller, address }: SocketCaller,
    id: { readonly id?: FrameId },
  ): Promise<void> {
    const { clock, rotations, send } = this.#options;
    if (this.#isClosed) return;
    if (this.#followed.size >= FOLLOWED_MAX) {
      throw new Failure('rate_limited', `One socket may follow ${FOLLOWED_MAX} builds at a time.`);
    }
    // Taken before the first await, so that the limit holds for concurrent frames.
    let leave: Unsubscribe = () => undefined;
    const stop = (): void => {
      leave();
      this.#followed.delete(stop);
    };
    this.#followed.add(stop);
    try {
      const request = await requested();
      // It has no listener.
      if (!this.#followed.has(stop)) return;
      const { jobId, cacheKey, cached } = await rotations.submit(request, caller, address);
      if (!this.#followed.has(stop)) return;
      send({ type: 'build:accepted', ...id, jobId, cacheKey, cached });
      const report = this.#teller({ id, cached, stop });
      const ask = async (): Promise<void> => {
        const job = await rotations.job(jobId);
        if (job) report(job);
      };
      const unwatch = rotations.watch(jobId, report);
      // While it is unknown, it continues.
      const asking = clock.every(ASK_EVERY_MS, () => void ask().catch(() => undefined));
      leave = () => {
        unwatch();
        asking.cancel();
      };
      await ask();
    } catch (error) {
      stop();
      throw error;
    }
  }

  /** Removes the listeners; running builds continue. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#followed) stop();
  }

  #teller({
    id,
    cached,
    stop,
  }: {
    readonly id: { readonly id?: FrameId };
    readonly cached: boolean;
    readonly stop: () => void;
  }): (job: RotationJob) => void {
    const { clock, send } = this.#options;
    let reportedTenth = 0;
    let reportedAtMs = clock.now();
    return (job) => {
      if (!this.#followed.has(stop)) return;
      const { status, pct, trades, totalTrades, bars, resultKey, stats } = job;
      if (status === 'done' && resultKey !== undefined && stats) {
        stop();
        send({ type: 'build:done', ...id, resultKey, stats: servedStats(stats), cached });
        return;
      }
      if (status === 'error') {
        stop();
        const message = job.error ?? 'The build failed.';
        send({ type: 'build:error', ...id, code: 'build_failed', message });
        return;
      }
      const tenth = Math.floor(pct * TENTHS);
      const nowMs = clock.now();
      if (status !== 'running' || (tenth <= reportedTenth && nowMs - reportedAtMs < QUIET_MS_MAX)) return;
      reportedTenth = tenth;
      reportedAtMs = nowMs;
      send({ type: 'build:progress', ...id, pct, trades, totalTrades, bars });
    };
  }
}
