import type { Clock } from '@crosstape/core';
import type { Tier } from './key-store.ts';

export const quotaModes = ['off', 'report', 'enforce'] as const;
export type QuotaMode = (typeof quotaModes)[number];

export const QUOTA_WINDOW_SECONDS = 60;
/** Requests per window of a caller without a key. */
export const ANONYMOUS_QUOTA = 60;
/** Requests per window of all callers without a key in one network: an IPv6 /48, or an IPv4 /24. */
export const NETWORK_QUOTA = 3_000;
/** Pages and files outside the interface per window of one address. */
export const PAGES_QUOTA = 3_000;
/** The same of one network. */
export const NETWORK_PAGES_QUOTA = 30_000;
/** Cost of a build, in requests. */
export const BUILD_COST = 5;
/** Requests per window of a key. */
export const tierQuotas: Readonly<Record<Tier, number>> = { free: 300, pro: 3_000 };
/** Requests per window with all free keys of one address, which may create three a day. */
export const ADDRESS_KEYS_QUOTA = 3 * tierQuotas.free;
/** The same of one network. */
export const NETWORK_KEYS_QUOTA = 10 * ADDRESS_KEYS_QUOTA;
/** Callers counted at a time; beyond it those whose windows end first are forgotten. */
const CALLERS_MAX = 200_000;
const SWEEP_EVERY_MS = 1_000;

interface Window {
  endsAtMs: number;
  used: number;
  /** The part that other processes do not know yet. */
  unsent: number;
}

/** A caller's count that other processes do not know yet. */
export interface UnsentCount {
  readonly caller: string;
  readonly taken: number;
  /** How long it still counts. */
  readonly leftMs: number;
  readonly endsAtMs: number;
}

/** A caller's remaining allowance. */
export interface Allowance {
  readonly remaining: number;
  /** Until the window ends. */
  readonly resetSeconds: number;
  readonly isOver: boolean;
}

/** Counts a quota together with those of the same name in other processes. */
export type ShareQuota = (name: string, quota: Quota) => void;

export interface QuotaOptions {
  readonly callersMax?: number;
  readonly windowSeconds?: number;
}

/** Counts requests per caller in fixed windows; each starts with the caller's first request. */
export class Quota {
  readonly #clock: Clock;
  readonly #callersMax: number;
  readonly #windowMs: number;
  /** In order of their start, and so of their end. */
  readonly #windows = new Map<string, Window>();
  #sweptAtMs = Number.NEGATIVE_INFINITY;
  /** Callers with unsent counts; absent without sharing. */
  #unsent: Set<string> | undefined;

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

  /** Counts a request of `caller`, an address or a key; `cost` is what it counts as. */
  take(caller: string, limit = ANONYMOUS_QUOTA, cost = 1): Allowance {
    const nowMs = this.#clock.now();
    let window = this.#windows.get(caller);
    if (window === undefined || !this.#isOpen(window, nowMs)) window = this.#open(caller, nowMs);
    window.used += cost;
    if (this.#unsent) {
      window.unsent += cost;
      this.#unsent.add(caller);
    }
    return {
      remaining: Math.max(0, limit - window.used),
      resetSeconds: Math.ceil((window.endsAtMs - nowMs) / 1_000),
      isOver: window.used > limit,
    };
  }

  /** From now on counts are kept until they are sent. */
  keepUnsent(): void {
    this.#unsent ??= new Set();
  }

  /** Returns the counts to send and marks them as sent. */
  drain(): readonly UnsentCount[] {
    const nowMs = this.#clock.now();
    const counts: UnsentCount[] = [];
    for (const caller of this.#unsent ?? []) {
      const window = this.#windows.get(caller);
      if (!window || window.unsent === 0) continue;
      counts.push({
        caller,
        taken: window.unsent,
        leftMs: Math.min(window.endsAtMs - nowMs, this.#windowMs),
        endsAtMs: window.endsAtMs,
      });
      window.unsent = 0;
    }
    this.#unsent?.clear();
    return counts;
  }

  /** Takes over the total of all processes and how long it still counts. */
  adopt(caller: string, used: number, leftMs: number): void {
    const window = this.#windows.get(caller);
    if (!window) return;
    window.used = used + window.unsent;
    window.endsAtMs = Math.min(window.endsAtMs, this.#clock.now() + leftMs);
  }

  /** The count could not be sent. Counts of a window that has ended meanwhile are dropped. */
  takeBack({ caller, taken, endsAtMs }: UnsentCount): void {
    const window = this.#windows.get(caller);
    if (!window || window.endsAtMs > endsAtMs) return;
    window.unsent += taken;
    this.#unsent?.add(caller);
  }

  /** False for a window that ends later than a full window from now: the clock was set back. */
  #isOpen({ endsAtMs }: Window, nowMs: number): boolean {
    return nowMs < endsAtMs && endsAtMs - nowMs <= this.#windowMs;
  }

  /** Drops expired windows, and the oldest where there are too many: now and then, because it is expensive. */
  #sweep(nowMs: number): void {
    const isFull = this.#windows.size >= this.#callersMax;
    if (!isFull && Math.abs(nowMs - this.#sweptAtMs) < SWEEP_EVERY_MS) return;
    this.#sweptAtMs = nowMs;
    const kept = isFull
      ? this.#callersMax - Math.max(1, Math.floor(this.#callersMax / 100))
      : this.#callersMax;
    for (const [oldest, other] of this.#windows) {
      if (this.#isOpen(other, nowMs) && this.#windows.size <= kept) break;
      this.#windows.delete(oldest);
    }
  }

  #open(caller: string, nowMs: number): Window {
    this.#windows.delete(caller);
    this.#sweep(nowMs);
    const window = { endsAtMs: nowMs + this.#windowMs, used: 0, unsent: 0 };
    this.#windows.set(caller, window);
    return window;
  }
}
