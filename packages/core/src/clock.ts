/** A pending call; `cancel` is idempotent and does nothing once the call has run. */
export interface Timer {
  cancel(): void;
}

/** The clock seam: nothing else reads a clock or sets a timer. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  after(delayMs: number, run: () => void): Timer;
  every(periodMs: number, run: () => void): Timer;
}

/** Resolves after `delayMs` of the clock's time, or rejects with the signal's reason. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortLike): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal));
    const onAbort = (): void => {
      timer.cancel();
      reject(abortReason(signal as AbortLike));
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort);
  });
}

/** The part of an `AbortSignal` that `sleep` needs; `core` has neither Node nor DOM types. */
export interface AbortLike {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

function abortReason(signal: AbortLike): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted');
}
