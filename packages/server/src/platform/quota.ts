import type { Clock } from '@crosstape/core';
import type { Tier } from './key-store.ts';

export const quotaModes = ['off', 'report', 'enforce'] as const;
export type QuotaMode = (typeof quotaModes)[number];

export const QUOTA_WINDOW_SECONDS = 60;
/** Requests per window of a caller without a key. */
export const ANONYMOUS_QUOTA = 60;
/** Requests per window of a key. */
export const tierQuotas: Readonly<Record<Tier, number>> = { free: 300, pro: 3_000 };
/** Callers counted at a time; beyond it the one whose window ends first is forgotten. */
const CALLERS_MAX = 200_000;

interface Window {
  readonly endsAtMs: number;
  used: number;
}

/** What a caller has left. */
export interface Allowance {
  readonly remaining: number;
  /** Until the window ends. */
  readonly resetSeconds: number;
  readonly isOver: boolean;
}

export interface QuotaOptions {
  readonly callersMax?: number;
  readonly windowSeconds?: number;
}

/** Counts requests per caller in fixed windows, each of which starts with the caller's first request. */
export class Quota {
  readonly #clock: Clock;
  readonly #callersMax: number;
  readonly #windowMs: number;
  /** In order of their start, and so of their end. */
  readonly #windows = new Map<string, Window>();

  constructor(
    clock: Clock,
    { callersMax = CALLERS_MAX, windowSeconds = QUOTA_WINDOW_SECONDS }: QuotaOptions = {},
  ) {
    this.#clock = clock;
    this.#callersMax = callersMax;
    this.#windowMs = windowSeconds * 1_000;
  }

  get callers(): number {
    return this.#windows.size;
  }

  /** Counts one request of `caller`, whoever that is: an address or a key. */
  take(caller: string, limit = ANONYMOUS_QUOTA): Allowance {
    const nowMs = this.#clock.now();
    let window = this.#windows.get(caller);
    if (window === undefined || nowMs >= window.endsAtMs) window = this.#open(caller, nowMs);
    window.used += 1;
    return {
      remaining: Math.max(0, limit - window.used),
      resetSeconds: Math.ceil((window.endsAtMs - nowMs) / 1_000),
      isOver: window.used > limit,
    };
  }

  #open(caller: string, nowMs: number): Window {
    this.#windows.delete(caller);
    for (const [oldest, { endsAtMs }] of this.#windows) {
      if (nowMs < endsAtMs && this.#windows.size < this.#callersMax) break;
      this.#windows.delete(oldest);
    }
    const window = { endsAtMs: nowMs + this.#windowMs, used: 0 };
    this.#windows.set(caller, window);
    return window;
  }
}
