import type { Clock, Timer } from './clock.ts';

/** A larger difference to the machine's time of day is a step: the clock was set, or the machine was suspended. */
const STEP_MS = 60_000;
/** A step that is neither confirmed nor rejected for this long is followed. */
const HOLD_MAX_MS = 15 * 60_000;

export interface SteadyClockSource extends Pick<Clock, 'after' | 'every'> {
  /** The machine's time of day, which can be set. */
  wallMs(): number;
  /** Runs evenly and cannot be set. It may pause while the machine is suspended. */
  monotonicMs(): number;
}

/** Called for a followed step: when it was first seen on the old clock, the time now, and by how much the time changed. */
export type StepListener = (fromMs: number, toMs: number, stepMs: number) => void;

/**
 * The machine's time of day without its steps. Small corrections are followed at once. A step is not: time continues as
 * before until a caller decides which of the two is right.
 */
export class SteadyClock implements Clock {
  readonly #source: SteadyClockSource;
  #aheadOfMonotonicMs: number;
  /** When the step was last rejected, or first seen; on the monotonic clock. */
  #heldMs: number | undefined;
  /** When the pending step was first seen, on this clock. */
  #steppedAtMs: number | undefined;
  readonly #listeners = new Set<StepListener>();

  constructor(source: SteadyClockSource) {
    this.#source = source;
    this.#aheadOfMonotonicMs = source.wallMs() - source.monotonicMs();
  }

  now(): number {
    const { wallMs, monotonicMs, stepMs } = this.#read();
    if (Math.abs(stepMs) <= STEP_MS) {
      this.#heldMs = undefined;
      this.#steppedAtMs = undefined;
      this.#aheadOfMonotonicMs = wallMs - monotonicMs;
      return wallMs;
    }
    const steadyMs = Math.floor(monotonicMs + this.#aheadOfMonotonicMs);
    this.#heldMs ??= monotonicMs;
    this.#steppedAtMs ??= steadyMs;
    if (monotonicMs - this.#heldMs < HOLD_MAX_MS) return steadyMs;
    this.follow();
    return wallMs;
  }

  /** Difference between the machine's time of day and this clock; 0 while it is followed. */
  get stepMs(): number {
    const { stepMs } = this.#read();
    return Math.abs(stepMs) <= STEP_MS ? 0 : stepMs;
  }

  /** Rejects the step: time continues without it. */
  hold(): void {
    if (this.#heldMs !== undefined) this.#heldMs = this.#source.monotonicMs();
  }

  /** Follows the step. */
  follow(): void {
    const { wallMs, monotonicMs, stepMs } = this.#read();
    const fromMs = this.#steppedAtMs ?? Math.floor(monotonicMs + this.#aheadOfMonotonicMs);
    this.#aheadOfMonotonicMs = wallMs - monotonicMs;
    this.#heldMs = undefined;
    this.#steppedAtMs = undefined;
    for (const listener of this.#listeners) listener(fromMs, wallMs, stepMs);
  }

  /** Calls `listener` whenever a step is followed. */
  onStep(listener: StepListener): Timer {
    this.#listeners.add(listener);
    return { cancel: () => void this.#listeners.delete(listener) };
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

/** Calls `listener` whenever the clock follows a step; other clocks never do. */
export function onClockStep(clock: Clock, listener: StepListener): Timer {
  return clock instanceof SteadyClock ? clock.onStep(listener) : { cancel: () => undefined };
}

/** Calls `listener` whenever the clock follows a step back: times that were noted before may lie in the future. */
export function onClockSetBack(clock: Clock, listener: () => void): Timer {
  return onClockStep(clock, (_fromMs, _toMs, stepMs) => {
    if (stepMs < 0) listener();
  });
}
