import { ApiError, type systemClock } from '@crosstape/client';

type Clock = typeof systemClock;

/** An anonymous caller has 60 requests a minute; the rest is left to what the visitor does besides. */
const CALLS_MAX = 45;
const WINDOW_MS = 60_000;
const RETRY_MS_MIN = 1_000;
const LIMITED = 'This browser has used its requests for this minute.';

/**
 * Fetches within a budget; only requests to the API of the service count. A waiting one reports until when, at least. One
 * whose time is over before its turn was limited: the service, which was not asked, is not to blame.
 */
export function budgetedFetch(budget: Budget, url: string, onWait?: (untilMs: number) => void): typeof fetch {
  return async (input, init) => {
    const isFree = typeof input === 'string' && !input.startsWith(`${url}/api/`);
    if (!isFree)
      await budget.take(init?.signal, onWait).catch(() => {
        throw new ApiError({ status: 429, message: LIMITED, meta: {}, retryAfterMs: budget.waitMs });
      });
    return fetch(input, init);
  };
}

/** Lets this many calls through in any minute; further ones wait for their turn. */
export class Budget {
  readonly #clock: Clock;
  readonly #callsMax: number;
  readonly #callsMs: number[] = [];
  /** Who waits for its turn, or will soon. */
  readonly #waiting = new Set<(untilMs: number) => void>();
  /** Until when the next in turn waits; 0: none waits. */
  #waitsUntilMs = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(clock: Clock, callsMax = CALLS_MAX) {
    this.#clock = clock;
    this.#callsMax = callsMax;
  }

  /** How long the next in turn waits, at least. */
  get waitMs(): number {
    return Math.max(RETRY_MS_MIN, this.#waitsUntilMs - this.#clock.now());
  }

  /**
   * Resolves when a call may be made; a waiting caller learns the earliest time. A caller that aborts gives its place
   * to the next.
   */
  take(signal?: AbortSignal | null, onWait?: (untilMs: number) => void): Promise<void> {
    const send = (untilMs: number): void => onWait?.(untilMs);
    this.#waiting.add(send);
    if (this.#waitsUntilMs > 0) send(this.#waitsUntilMs);
    const mine = this.#turn.then(() => this.#next(signal)).finally(() => this.#waiting.delete(send));
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #next(signal: AbortSignal | null | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const nowMs = this.#clock.now();
      while (this.#callsMs.length > 0 && (this.#callsMs[0] as number) <= nowMs - WINDOW_MS)
        this.#callsMs.shift();
      if (this.#callsMs.length < this.#callsMax) break;
      this.#waitsUntilMs = (this.#callsMs[0] as number) + WINDOW_MS;
      for (const send of this.#waiting) send(this.#waitsUntilMs);
      await this.#pause(this.#waitsUntilMs - nowMs, signal);
      this.#waitsUntilMs = 0;
    }
    this.#callsMs.push(this.#clock.now());
  }

  #pause(delayMs: number, signal: AbortSignal | null | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(delayMs, resolve);
      const onAbort = (): void => {
        timer.cancel();
        resolve();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}
