import type { Clock, Timer } from '@crosstape/core';

/** Runs something soon after it was requested, but at most once per interval. */
export class Pace {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #run: () => void;
  #timer: Timer | undefined;
  #ranAtMs = -Infinity;

  constructor(clock: Clock, everyMs: number, run: () => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#run = run;
  }

  ask(): void {
    if (this.#timer) return;
    // Limits the wait when the clock was set back.
    const waitMs = Math.min(this.#everyMs, this.#ranAtMs + this.#everyMs - this.#clock.now());
    if (waitMs <= 0) this.#go();
    else this.#timer = this.#clock.after(waitMs, () => this.#go());
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #go(): void {
    this.cancel();
    this.#ranAtMs = this.#clock.now();
    this.#run();
  }
}
