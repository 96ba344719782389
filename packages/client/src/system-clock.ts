import type { Clock } from '@crosstape/core';

/** The real time of a browser or of Node. */
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
