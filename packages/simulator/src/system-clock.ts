import type { Clock } from '@crosstape/core';

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
  every(periodMs, run) {
    const timer = setInterval(run, periodMs);
    return { cancel: () => clearInterval(timer) };
  },
};
