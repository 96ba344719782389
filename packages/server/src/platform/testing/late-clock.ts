import { type Clock, ManualClock } from '@crosstape/core';

const AHEAD_MS = 3 * 3_600_000;

/** A clock that is hours ahead until it is set right. */
export class LateClock implements Clock {
  readonly #clock: ManualClock;
  #aheadMs = AHEAD_MS;

  constructor(startMs = Date.UTC(2026, 10, 18)) {
    this.#clock = new ManualClock(startMs);
  }

  setRight(): void {
    this.#aheadMs = 0;
  }

  now(): number {
    return this.#clock.now() + this.#aheadMs;
  }

  after(delayMs: number, run: () => void) {
    return this.#clock.after(delayMs, run);
  }

  every(periodMs: number, run: () => void) {
    return this.#clock.every(periodMs, run);
  }

  advance(ms: number): void {
    this.#clock.advance(ms);
  }
}
