import type { Clock, Timer } from '@crosstape/core';
import { Failure } from './errors.ts';

/** Default share of a minute's allowance that may be spent at once. */
const BURST_SHARE = 0.25;
/** Callers that may wait for their turn at the same time. */
const WAITERS_MAX = 10_000;

export interface BudgetOptions {
  readonly clock: Clock;
  readonly perMinute: number;
  /** The largest burst after a quiet time; default: a quarter of the minute's allowance. */
  readonly atOnce?: number | undefined;
  /** The largest weight of a single call. */
  readonly weightMax?: number;
}

interface Waiter {
  readonly weight: number;
  readonly isUrgent: boolean;
  go(): void;
}

/**
 * A weighted token bucket. A burst and a minute's refill together make the allowance, so that no 60-second window ever
 * exceeds `perMinute`. First come, first served; what is urgent comes before the rest.
 */
export class Budget {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #refillPerMs: number;
  readonly #waiters: Waiter[] = [];
  #tokens: number;
  #countedAtMs: number;
  #timer: Timer | undefined;

  constructor({ clock, perMinute, atOnce, weightMax = 1 }: BudgetOptions) {
    this.#clock = clock;
    this.#burst = Math.max(atOnce ?? perMinute * BURST_SHARE, weightMax);
    if (!(this.#burst < perMinute)) {
      throw new RangeError(`a weight of ${weightMax} does not fit into ${perMinute} per minute`);
    }
    this.#refillPerMs = (perMinute - this.#burst) / 60_000;
    this.#tokens = this.#burst;
    this.#countedAtMs = clock.now();
  }

  /** Resolves when `weight` has been spent; rejects with the signal's reason when that comes first. */
  take(weight: number, signal?: AbortSignal, isUrgent = false): Promise<void> {
    if (!(weight >= 0 && weight <= this.#burst)) {
      return Promise.reject(new RangeError(`a weight is from 0 to ${this.#burst}, not ${weight}`));
    }
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    if (this.#waiters.length === 0 && this.#spend(weight)) return Promise.resolve();
    if (this.#waiters.length >= WAITERS_MAX) {
      return Promise.reject(new Failure('overloaded', 'Too many requests are queued for this venue.'));
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal?.reason as Error);
        this.#serve();
      };
      const waiter: Waiter = {
        weight,
        isUrgent,
        go: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const at = isUrgent ? this.#waiters.findIndex((one) => !one.isUrgent) : -1;
      this.#waiters.splice(at < 0 ? this.#waiters.length : at, 0, waiter);
      this.#serve();
    });
  }

  #serve(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (let next = this.#waiters[0]; next !== undefined; next = this.#waiters[0]) {
      if (!this.#spend(next.weight)) {
        const waitMs = Math.max(1, Math.ceil((next.weight - this.#tokens) / this.#refillPerMs));
        this.#timer = this.#clock.after(waitMs, () => this.#serve());
        return;
      }
      this.#waiters.shift();
      next.go();
    }
  }

  #spend(weight: number): boolean {
    const nowMs = this.#clock.now();
    const grown = Math.max(0, nowMs - this.#countedAtMs) * this.#refillPerMs;
    this.#tokens = Math.min(this.#burst, this.#tokens + grown);
    this.#countedAtMs = nowMs;
    if (this.#tokens < weight) return false;
    this.#tokens -= weight;
    return true;
  }
}
