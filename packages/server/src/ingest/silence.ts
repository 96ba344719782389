/** No feed is called stalled sooner. */
const STALL_MIN_MS = 5_000;
/**
 * So many times the longest recent silence is unusual. Over 60 simulated days of independent trades, one in 4 s on
 * average, that called 2 false stalls; 3 times would have called 29.
 */
const UNUSUAL = 4;
/** A long silence is half forgotten after this time. */
const HALF_LIFE_MS = 600_000;
/** A feed's rate is known after this time. */
const WATCH_MS = 30_000;

/**
 * Learns how long a feed is usually silent, and says how long is too long. It goes by the longest silence of the
 * recent past rather than the mean: trades come in bursts, and a quiet minute after a burst is no stall.
 */
export class Silence {
  readonly #maxMs: number;
  readonly #isBursty: boolean;
  #knownFromMs: number | undefined;
  #lastMs = 0;
  #hasSpoken = false;
  #longestMs = 0;
  #longestAtMs = 0;

  /** Beyond `maxMs` silence is a stall whatever was usual; of what comes in bursts nothing is usual. */
  constructor(maxMs: number, isBursty = false) {
    this.#maxMs = maxMs;
    this.#isBursty = isBursty;
  }

  /** A connection begins: the time without one was no silence of the feed's. */
  begin(nowMs: number): void {
    this.#lastMs = nowMs;
    this.#hasSpoken = false;
  }

  /** Something was said. A silence beyond the limit that held when it began was a stall, and is not learned as usual. */
  end(nowMs: number): void {
    const silentMs = this.lengthMs(nowMs);
    if (silentMs <= this.limitMs(this.#lastMs)) this.#learn(silentMs, nowMs);
    this.#hasSpoken = true;
    this.#knownFromMs ??= nowMs + WATCH_MS;
    this.#lastMs = nowMs;
  }

  /**
   * It was called a stall. If that was wrong, silence is longer here than was known: next time it waits longer. No more
   * is learned than the limit, and nothing from a connection that never spoke: an outage is not to be got used to.
   */
  stall(nowMs: number): void {
    if (this.#hasSpoken) this.#learn(this.limitMs(nowMs), nowMs);
  }

  lengthMs(nowMs: number): number {
    return nowMs - this.#lastMs;
  }

  limitMs(nowMs: number): number {
    if (this.#isBursty || this.#knownFromMs === undefined || nowMs < this.#knownFromMs) return this.#maxMs;
    return Math.min(this.#maxMs, Math.max(STALL_MIN_MS, UNUSUAL * this.#recentLongestMs(nowMs)));
  }

  #learn(silentMs: number, nowMs: number): void {
    if (silentMs < this.#recentLongestMs(nowMs)) return;
    this.#longestMs = silentMs;
    this.#longestAtMs = nowMs;
  }

  #recentLongestMs(nowMs: number): number {
    return this.#longestMs * 2 ** ((this.#longestAtMs - nowMs) / HALF_LIFE_MS);
  }
}
