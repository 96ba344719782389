import type { Clock, Timer } from '@crosstape/core';

/** A clock that stands still until it is started, and then runs `speed` times as fast as another one. */
export class ScaledClock implements Clock {
  readonly #real: Clock;
  readonly #speed: number;
  #startMs: number;
  #startedAtMs: number | undefined;
  /** Timers that were set before the start. */
  readonly #waiting = new Set<() => void>();

  constructor(real: Clock, { startMs, speed }: { readonly startMs: number; readonly speed: number }) {
    this.#real = real;
    this.#startMs = startMs;
    this.#speed = speed;
  }

  /** Begins to run at a time, which is not before the one at which it stands. */
  start(atMs: number): void {
    if (this.#startedAtMs !== undefined) return;
    this.#startMs = Math.max(this.#startMs, atMs);
    this.#startedAtMs = this.#real.now();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const arm of waiting) arm();
  }

  now(): number {
    if (this.#startedAtMs === undefined) return this.#startMs;
    return Math.floor(this.#startMs + (this.#real.now() - this.#startedAtMs) * this.#speed);
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#arm(() => this.#real.after(Math.ceil(delayMs / this.#speed), run));
  }

  every(periodMs: number, run: () => void): Timer {
    return this.#arm(() => this.#real.every(Math.max(1, periodMs / this.#speed), run));
  }

  #arm(set: () => Timer): Timer {
    if (this.#startedAtMs !== undefined) return set();
    let timer: Timer | undefined;
    const arm = (): void => {
      timer = set();
    };
    this.#waiting.add(arm);
    return {
      cancel: () => {
        this.#waiting.delete(arm);
        timer?.cancel();
      },
    };
  }
}
