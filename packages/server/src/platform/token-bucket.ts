import type { Clock } from '@crosstape/core';

export interface TokenBucketOptions {
  readonly clock: Clock;
  /** Tokens of a full bucket: the largest burst. */
  readonly capacity: number;
  readonly perSecond: number;
}

/** Counts what a peer does against a rate. It refuses at once, unlike `Budget`, which waits. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #perMs: number;
  #tokens: number;
  #countedAtMs: number;

  constructor({ clock, capacity, perSecond }: TokenBucketOptions) {
    this.#clock = clock;
    this.#capacity = capacity;
    this.#perMs = perSecond / 1_000;
    this.#tokens = capacity;
    this.#countedAtMs = clock.now();
  }

  /** False when fewer tokens are left; none are taken then. */
  take(cost = 1): boolean {
    this.#refill();
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }

  /** Takes tokens even if there are not enough, up to a full bucket of debt. False while in debt. */
  charge(cost: number): boolean {
    this.#refill();
    this.#tokens = Math.max(-this.#capacity, this.#tokens - cost);
    return this.#tokens >= 0;
  }

  #refill(): void {
    const nowMs = this.#clock.now();
    // The clock may be set back.
    const passedMs = Math.max(0, nowMs - this.#countedAtMs);
    this.#tokens = Math.min(this.#capacity, this.#tokens + passedMs * this.#perMs);
    this.#countedAtMs = nowMs;
  }
}
