import type { Clock, Timer } from '@crosstape/core';
import { ASK_AGAIN_MS } from './ask-again.ts';
import type { MissingNumbers } from './trade-count.ts';

/** Reordered trades arrive within this time: only then are missing ones requested. */
const REORDER_MS = 300;
/** Gaps of a market that are requested again; of more, the one that waits longest is given up. */
const ASKED_MAX = 1_000;

/** When the missing numbers of a market are requested, for the first time and again. */
export class LaterRequests {
  readonly #clock: Clock;
  readonly #request: (range: MissingNumbers, attempt: number) => void;
  /** Oldest first. */
  readonly #timers = new Map<MissingNumbers, Timer>();
  #isStopped = false;

  constructor(clock: Clock, request: (range: MissingNumbers, attempt: number) => void) {
    this.#clock = clock;
    this.#request = request;
  }

  /** Requests a range in a while, unless it was often enough. */
  add(range: MissingNumbers, attempt: number): void {
    const waitMs = attempt === 0 ? REORDER_MS : ASK_AGAIN_MS[attempt - 1];
    if (this.#isStopped || waitMs === undefined) return;
    const timer = this.#clock.after(waitMs, () => {
      this.#timers.delete(range);
      this.#request(range, attempt);
    });
    this.#timers.set(range, timer);
    const [oldest] = this.#timers;
    if (this.#timers.size <= ASKED_MAX || !oldest) return;
    oldest[1].cancel();
    this.#timers.delete(oldest[0]);
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) timer.cancel();
  }
}
