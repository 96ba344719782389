import { systemClock } from '@crosstape/client';

const TICK_MS = 1_000;

/** The time, a second at a time: ages are counted by it. */
class Now {
  ms = $state(systemClock.now());

  constructor() {
    systemClock.every(TICK_MS, () => {
      if (!document.hidden) this.ms = systemClock.now();
    });
  }
}

export const now = new Now();
