import type { Clock } from '@crosstape/core';
import type { Log } from './log.ts';
import { systemClock } from './system-clock.ts';

/** A step of the start that takes longer than this is logged. */
const SLOW_STEP_MS = 30_000;

/** Waits for a step of the start. When it takes long, one line of the log says what the start is waiting for. */
export async function logIfSlow<Result>(
  step: string,
  work: Promise<Result>,
  { log, clock = systemClock }: { readonly log: Log; readonly clock?: Clock },
): Promise<Result> {
  const slow = clock.after(SLOW_STEP_MS, () =>
    log.warn({ step, seconds: SLOW_STEP_MS / 1_000 }, `still starting: waiting for ${step}`),
  );
  try {
    return await work;
  } finally {
    slow.cancel();
  }
}
