import { ApiError, type systemClock } from '@crosstape/client';

type Clock = typeof systemClock;

/** Calls per minute without a key, until the service has reported its quota. */
const QUOTA_FIRST = 60;
/** Share of an enforced quota; the rest is left to the visitor's other requests. */
const SHARE = 0.75;
/** Calls per minute without an enforced quota: more than all pages together make, but bounded. */
const CALLS_OPEN = 600;
const WINDOW_MS = 60_000;
const RETRY_MS_MIN = 1_000;
const LIMITED = "This browser's request limit for this minute is used up.";
const TOO_MANY = 429;

/**
 * Fetches within a budget; only requests to the service's API count. A waiting request reports the earliest time. One
 * that times out while waiting was rate limited: the service was not called and is not to blame.
 */
export function budgetedFetch(budget: Budget, url: string, onWait?: (untilMs: number) => void): typeof fetch {
  return async (input, init) => {
    const isFree = typeof input === 'string' && !input.startsWith(`${url}/api/`);
    if (isFree) return fetch(input, init);
    await budget.take(init?.signal, onWait).catch(() => {
      throw new ApiError({ status: TOO_MANY, message: LIMITED, meta: {}, retryAfterMs: budget.waitMs });
    });
    const answer = await fetch(input, init);
    budget.learn(answer);
    return answer;
  };
}

/** The enforced quota in an answer, in calls per minute; `undefined` if there is none. */
function enforcedQuota({ status, headers }: Pick<Response, 'status' | 'headers'>): number | undefined {
  const policy = headers.get('RateLimit-Policy');
  const isReported = headers.get('RateLimit-Enforced') === '?0';
  const isEnforced = status === TOO_MANY || (policy !== null && !isReported);
  return isEnforced ? Number(/;q=(\d+)/.exec(policy ?? '')?.[1] ?? QUOTA_FIRST) : undefined;
}

/** Allows a share of the quota in any minute; further calls wait. */
export class Budget {
  readonly #clock: Clock;
  readonly #share: number;
  #callsMax: number;
  readonly #callsMs: number[] = [];
  /** Callers that wait, or will soon. */
  readonly #waiting = new Set<(untilMs: number) => void>();
  /** Until when the next caller waits; 0: none waits. */
  #waitsUntilMs = 0;
  #turn: Promise<void> = Promise.resolve();
  /** Ends the wait of the next caller. */
  #wake: () => void = () => undefined;

  constructor(clock: Clock, share = SHARE) {
    this.#clock = clock;
    this.#share = share;
    this.#callsMax = QUOTA_FIRST * share;
  }

  /** Reads the quota from an answer. */
  learn(answer: Pick<Response, 'status' | 'headers'>): void {
    const quota = enforcedQuota(answer);
    const callsMax = quota === undefined ? CALLS_OPEN : Math.max(1, Math.floor(quota * this.#share));
    const isMore = callsMax > this.#callsMax;
    this.#callsMax = callsMax;
    if (isMore) this.#wake();
  }

  /** Minimum wait of the next caller. */
  get waitMs(): number {
    return Math.max(RETRY_MS_MIN, this.#waitsUntilMs - this.#clock.now());
  }

  /**
   * Resolves when a call may be made; a waiting caller gets the earliest time. A caller that aborts gives its place to
   * the next.
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
      // The wait ends when the calls above the limit are older than the window.
      const oldest = this.#callsMs[this.#callsMs.length - this.#callsMax] as number;
      this.#waitsUntilMs = oldest + WINDOW_MS;
      for (const send of this.#waiting) send(this.#waitsUntilMs);
      await this.#pause(this.#waitsUntilMs - nowMs, signal);
      this.#waitsUntilMs = 0;
    }
    this.#callsMs.push(this.#clock.now());
  }

  #pause(delayMs: number, signal: AbortSignal | null | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(delayMs, resolve);
      const end = (): void => {
        timer.cancel();
        resolve();
      };
      this.#wake = end;
      signal?.addEventListener('abort', end, { once: true });
    });
  }
}
