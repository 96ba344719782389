import type { Clock, Timer } from './clock.ts';

/** A larger difference to the machine's time of day is a step: somebody set it, or the machine was suspended. */
const STEP_MS = 60_000;
/** A step that nothing confirms or contradicts for this long is followed. */
const HOLD_MAX_MS = 15 * 60_000;

export interface SteadyClockSource extends Pick<Clock, 'after' | 'every'> {
  /** The machine's time of day, which can be set. */
  wallMs(): number;
  /** Runs evenly and cannot be set. It may stand still while the machine is suspended. */
  monotonicMs(): number;
}

/**
 * The machine's time of day without its steps. Small corrections are followed at once. A step is not: time runs on as
 * before until a caller that knows better says which of the two is right.
 */
export class SteadyClock implements Clock {
  readonly #source: SteadyClockSource;
  #aheadOfMonotonicMs: number;
  /** When the step was last found wrong, or first seen; on the monotonic clock. */
  #heldMs: number | undefined;

  constructor(source: SteadyClockSource) {
    this.#source = source;
    this.#aheadOfMonotonicMs = source.wallMs() - source.monotonicMs();
  }

  now(): number {
    const { wallMs, monotonicMs, stepMs } = this.#read();
    if (Math.abs(stepMs) <= STEP_MS) {
      this.#heldMs = undefined;
    } else {
      this.#heldMs ??= monotonicMs;
      if (monotonicMs - this.#heldMs < HOLD_MAX_MS) return Math.floor(monotonicMs + this.#aheadOfMonotonicMs);
    }
    this.#aheadOfMonotonicMs = wallMs - monotonicMs;
    return wallMs;
  }

  /** How far the machine's time of day has stepped away from this clock; 0 while it is followed. */
  get stepMs(): number {
    const { stepMs } = this.#read();
    return Math.abs(stepMs) <= STEP_MS ? 0 : stepMs;
  }

  /** The step is wrong: time runs on without it. */
  hold(): void {
    if (this.#heldMs !== undefined) this.#heldMs = this.#source.monotonicMs();
  }

  /** The step is right: it is followed now. */
  follow(): void {
    this.#aheadOfMonotonicMs = this.#source.wallMs() - this.#source.monotonicMs();
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#source.after(delayMs, run);
  }

  every(periodMs: number, run: () => void): Timer {
    return this.#source.every(periodMs, run);
  }

  #read(): { readonly wallMs: number; readonly monotonicMs: number; readonly stepMs: number } {
    const wallMs = this.#source.wallMs();
    const monotonicMs = this.#source.monotonicMs();
    return { wallMs, monotonicMs, stepMs: wallMs - monotonicMs - this.#aheadOfMonotonicMs };
  }
}
