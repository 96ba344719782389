import type { Clock } from '@crosstape/core';

/** A limit over a sliding window of milliseconds, counted exactly. */
export class SlidingWindow {
  readonly #clock: Clock;
  readonly #spanMs: number;
  readonly #max: number;
  #entries: { atMs: number; amount: number }[] = [];
  #used = 0;

  constructor(options: { clock: Clock; spanMs: number; max: number }) {
    this.#clock = options.clock;
    this.#spanMs = options.spanMs;
    this.#max = options.max;
  }

  get used(): number {
    const from = this.#clock.now() - this.#spanMs;
    let old = 0;
    for (let entry = this.#entries[0]; entry && entry.atMs <= from; entry = this.#entries[old]) {
      this.#used -= entry.amount;
      old += 1;
    }
    if (old > 0) this.#entries = this.#entries.slice(old);
    return this.#used;
  }

  /** Takes an amount if it fits. Refused amounts are not counted, so there are never more entries than the limit. */
  take(amount: number): boolean {
    if (this.used + amount > this.#max) return false;
    this.charge(amount);
    return true;
  }

  /** Counts an amount that became known only afterwards, whether it fits or not. */
  charge(amount: number): void {
    if (amount <= 0) return;
    this.#used += amount;
    const newest = this.#entries.at(-1);
    if (newest?.atMs === this.#clock.now()) newest.amount += amount;
    else this.#entries.push({ atMs: this.#clock.now(), amount });
  }
}
