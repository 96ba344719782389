import type { systemClock } from '@crosstape/client';

type Clock = typeof systemClock;

/** Trades are on record by this long after they happened: a replay ends there. */
export const RECORDED_WITHIN_MS = 3_000;
/** A tick after a longer pause, as of a machine that slept, counts as this long. */
const STEP_MAX_MS = 500;

/** What a reader waits for: a trade or a gap of a tape, the next window of a tape, or something else. */
type WaitKind = 'trade' | 'window' | 'other';

interface Waiter {
  readonly ts: number;
  readonly awaited: WaitKind;
  readonly resolve: () => void;
}

/** Plays a part of the record, in step with the clock. */
export interface ReplayReader {
  /** Resolves when the clock reaches a time. Until the next call, or until it leaves, the reader is at work. */
  wait(ts: number, awaited: WaitKind, signal?: AbortSignal): Promise<void>;
  leave(): void;
}

/**
 * The time of a replay. It runs at a speed, and pauses while a reader works, for example loads, and until the first one
 * has joined.
 */
export class ReplayClock {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #nowMs: number;
  #tickedMs: number;
  #hasJoined = false;
  #working = 0;
  #whenSettled: (() => void)[] = [];
  speed: number;
  #isPlaying = false;
  #hasEnded = false;

  constructor(clock: Clock, { startMs, speed }: { readonly startMs: number; readonly speed: number }) {
    this.#clock = clock;
    this.#tickedMs = clock.now();
    this.speed = speed;
    this.#nowMs = Math.min(startMs, this.endMs);
  }

  now(): number {
    return this.#nowMs;
  }

  /** The newest time that can be played. */
  get endMs(): number {
    return this.#clock.now() - RECORDED_WITHIN_MS;
  }

  get isPlaying(): boolean {
    return this.#isPlaying;
  }

  set isPlaying(next: boolean) {
    this.#isPlaying = next;
    this.#hasEnded = false;
  }

  /** Whether it stopped at the end of the record. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isWorking(): boolean {
    return !this.#hasJoined || this.#working > 0;
  }

  /** Advances by the time since the last tick. */
  tick(): void {
    const nowMs = this.#clock.now();
    const passedMs = Math.min(STEP_MAX_MS, Math.max(0, nowMs - this.#tickedMs));
    this.#tickedMs = nowMs;
    if (!this.isPlaying || this.isWorking) return;
    this.moveTo(this.#nowMs + passedMs * this.speed);
    if (this.#nowMs < Math.floor(this.endMs)) return;
    this.#isPlaying = false;
    this.#hasEnded = true;
  }

  /** Moves forward to a time, at most to the end of the record. */
  moveTo(ts: number): void {
    this.#nowMs = Math.max(this.#nowMs, Math.floor(Math.min(ts, this.endMs)));
    for (const waiter of this.#waiters) if (waiter.ts <= this.#nowMs) this.#wake(waiter);
  }

  /** What the readers of tapes wait for first; absent if none waits. */
  next(): Pick<Waiter, 'ts' | 'awaited'> | undefined {
    let first: Waiter | undefined;
    for (const waiter of this.#waiters) {
      if (waiter.awaited === 'other') continue;
      const isTrade = waiter.awaited === 'trade';
      const isBefore = !first || waiter.ts < first.ts || (waiter.ts === first.ts && isTrade);
      if (isBefore) first = waiter;
    }
    return first;
  }

  /** Resolves when every reader waits for a later time. */
  settled(): Promise<void> {
    if (!this.isWorking) return Promise.resolve();
    return new Promise((resolve) => this.#whenSettled.push(resolve));
  }

  join(): ReplayReader {
    let isWorking = true;
    const set = (next: boolean): void => {
      if (isWorking === next) return;
      isWorking = next;
      this.#count(next ? 1 : -1);
    };
    this.#hasJoined = true;
    this.#count(1);
    return {
      wait: (ts, awaited, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason as Error);
          if (ts <= this.#nowMs) return resolve();
          const onAbort = (): void => {
            this.#waiters.delete(waiter);
            reject(signal?.reason as Error);
          };
          const waiter: Waiter = {
            ts,
            awaited,
            resolve: () => {
              signal?.removeEventListener('abort', onAbort);
              set(true);
              resolve();
            },
          };
          signal?.addEventListener('abort', onAbort);
          this.#waiters.add(waiter);
          set(false);
        }),
      leave: () => set(false),
    };
  }

  #wake(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    waiter.resolve();
  }

  #count(by: number): void {
    this.#working += by;
    if (this.isWorking) return;
    for (const resolve of this.#whenSettled.splice(0)) resolve();
  }
}
