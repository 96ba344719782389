import type { Clock, Timer } from '@crosstape/core';

/** Runs at every whole multiple of a period, by the clock of the day. */
export function everyMultiple(clock: Clock, periodMs: number, run: () => void): Timer {
  const wait = (): Timer => {
    const nowMs = clock.now();
    const nextMs = (Math.floor(nowMs / periodMs) + 1) * periodMs;
    return clock.after(nextMs - nowMs, () => {
      timer = wait();
      run();
    });
  };
  let timer = wait();
  return { cancel: () => timer.cancel() };
}
