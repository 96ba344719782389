import type { Clock, Random, Timer } from '@crosstape/core';
import type { Bus } from '../platform/bus.ts';
import type { JobRunner } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import { systemClock } from '../platform/system-clock.ts';
import type { Settings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';

/** Grace period after a late stop. */
const GRACE_MS = 2_000;

/** Dependencies of every role. */
export interface RoleDependencies {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly bus: Bus;
  readonly store: Store;
  /** Where worker threads find the store. */
  readonly folder: string;
  /** Short work, on threads of this process. */
  readonly jobs: JobRunner;
}

/** Something that was started. */
export interface Started {
  stop(): Promise<void>;
}

/** Started parts, to be stopped in reverse order. */
export class Stops {
  readonly #stops: (() => Promise<void> | void)[] = [];
  #limit: { readonly ms: number; readonly onLate: () => void } | undefined;

  add(stop: () => Promise<void> | void): void {
    this.#stops.push(stop);
  }

  /** Called when a stop takes longer; anything that does not end after that is abandoned. */
  limit(ms: number, onLate: () => void): void {
    this.#limit = { ms, onLate };
  }

  async stop(): Promise<void> {
    const stopping = this.#stopAll();
    if (!this.#limit) return stopping;
    const { ms, onLate } = this.#limit;
    const timers: Timer[] = [systemClock.after(ms, onLate)];
    const tooLate = new Promise<void>((resolve) => {
      timers.push(systemClock.after(ms + GRACE_MS, resolve));
    });
    await Promise.race([stopping, tooLate]).finally(() => {
      for (const timer of timers) timer.cancel();
    });
  }

  async #stopAll(): Promise<void> {
    for (const one of this.#stops.splice(0).toReversed()) await one();
  }
}

/** Starts something of several parts: if one of them fails, those before it are stopped. */
export async function startParts<Result>(
  start: (stops: Stops) => Promise<Result>,
): Promise<Result & Started> {
  const stops = new Stops();
  try {
    return { ...(await start(stops)), stop: () => stops.stop() };
  } catch (error) {
    await stops.stop();
    throw error;
  }
}
