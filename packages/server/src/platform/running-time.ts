import type { Clock, Timer } from '@crosstape/core';

/** Running time is counted in steps of this length: a step that ends late, because this process was busy, counts once. */
const STEP_MS = 1_000;
/** A process that hardly runs still gives up after this many times the limit. */
const STRETCH_MAX = 3;

/**
 * Calls `run` when this process has been running for `limitMs`. Time with a blocked event loop does not count: an
 * answer that came meanwhile could not be read.
 */
export function afterRunning(clock: Clock, limitMs: number, run: () => void): Timer {
  const latestMs = clock.now() + STRETCH_MAX * limitMs;
  let leftMs = limitMs;
  let timer: Timer;
  const step = (): void => {
    const stepMs = Math.min(STEP_MS, leftMs);
    timer = clock.after(stepMs, () => {
      leftMs -= stepMs;
      if (leftMs <= 0 || clock.now() >= latestMs) run();
      else step();
    });
  };
  step();
  return { cancel: () => timer.cancel() };
}
