import { SteadyClock } from '@crosstape/core';

/** The machine's time without steps: a market does not jump because the clock was set. */
export const systemClock = new SteadyClock({
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
  every(periodMs, run) {
    const timer = setInterval(run, periodMs);
    return { cancel: () => clearInterval(timer) };
  },
});
