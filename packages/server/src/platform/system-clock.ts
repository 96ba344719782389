import { SteadyClock, type Timer } from '@crosstape/core';

/** The longest delay that a Node timer takes; a longer one would fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The real time, without steps of the machine's clock. Its timers never keep the process alive: a service lives by its server. */
export const systemClock = new SteadyClock({
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),

  after(delayMs, run) {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      const stepMs = Math.min(Math.max(0, leftMs), TIMER_MAX_MS);
      timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : run()), stepMs);
      timer.unref();
    };
    arm(delayMs);
    return { cancel: () => clearTimeout(timer) };
  },

  every(periodMs, run): Timer {
    if (!(periodMs > 0 && periodMs <= TIMER_MAX_MS)) {
      throw new RangeError(`a period is above 0 and at most ${TIMER_MAX_MS} ms, not ${periodMs}`);
    }
    const timer = setInterval(run, periodMs);
    timer.unref();
    return { cancel: () => clearInterval(timer) };
  },
});
