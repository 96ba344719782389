import type { Clock, Timer } from '@crosstape/core';

/** The clock of one process: its timers end with the process, the underlying clock continues. */
export class ProcessClock implements Clock {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #isDead = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(delayMs: number, run: () => void): Timer {
    const timer = this.#keep(
      this.#clock.after(delayMs, () => {
        this.#timers.delete(timer);
        run();
      }),
    );
    return timer;
  }

  every(periodMs: number, run: () => void): Timer {
    return this.#keep(this.#clock.every(periodMs, run));
  }

  kill(): void {
    this.#isDead = true;
    for (const timer of this.#timers) timer.cancel();
  }

  #keep(own: Timer): Timer {
    const timer = {
      cancel: (): void => {
        own.cancel();
        this.#timers.delete(timer);
      },
    };
    if (this.#isDead) own.cancel();
    else this.#timers.add(timer);
    return timer;
  }
}
