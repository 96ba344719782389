import { type Clock, sleep } from '@crosstape/core';
import type { Log } from '../../platform/log.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { isUnanswered } from '../redis.ts';

/** How long a start that Redis did not answer is retried. */
const TRY_MS_MAX = 120_000;
/** Delay between attempts. */
const RETRY_MS = 500;

export interface PatientStartOptions {
  readonly log: Log;
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts something on Redis and retries when a command times out, which happens on a busy machine. `start` must stop
 * what it began before it rejects.
 */
export async function startPatiently<Result>(
  start: () => Promise<Result>,
  { log, clock = systemClock, signal }: PatientStartOptions,
): Promise<Result> {
  const untilMs = clock.now() + TRY_MS_MAX;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      signal?.throwIfAborted();
      if (!isUnanswered(error) || clock.now() >= untilMs) throw error;
      log.warn({ err: error }, 'Redis did not answer in time; starting again');
      await sleep(clock, RETRY_MS, signal);
    }
  }
}
