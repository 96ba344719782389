/** Observations of this age count half. */
const HALF_LIFE_MS = 180_000;
/** Arrivals closer together than this count as one, so that a burst does not pass for a high rate. */
const BURST_MS = 100;
/** Assumed time without an arrival before the first one: a rate is not trusted after two quick frames. */
const PRIOR_MS = 5_000;

/**
 * The mean time between arrivals over the last minutes. It uses the mean and not the longest silence: one long silence
 * hardly moves a mean, so a feed that freezes now and then does not teach its watcher to wait longer.
 */
export class ArrivalRate {
  #arrivals = 0;
  #elapsedMs = 0;
  #lastMs: number;
  #decayedMs: number;

  constructor(startMs: number) {
    this.#lastMs = startMs;
    this.#decayedMs = startMs;
  }

  /** Time of the last arrival, or the start of the current connection. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** Infinite before the first arrival. */
  get meanGapMs(): number {
    return (this.#elapsedMs + PRIOR_MS) / this.#arrivals;
  }

  /** The time before `nowMs` does not count towards the rate. */
  restart(nowMs: number): void {
    this.#lastMs = nowMs;
  }

  arrive(nowMs: number): void {
    const gapMs = nowMs - this.#lastMs;
    if (gapMs < BURST_MS && this.#arrivals > 0) return;
    this.#decay(nowMs);
    this.#elapsedMs += Math.max(0, gapMs);
    this.#arrivals += 1;
    this.#lastMs = nowMs;
  }

  /** Counts a silence without trades. */
  addQuietTime(quietMs: number): void {
    this.#elapsedMs += quietMs;
  }

  #decay(nowMs: number): void {
    const share = 2 ** (-Math.max(0, nowMs - this.#decayedMs) / HALF_LIFE_MS);
    this.#arrivals *= share;
    this.#elapsedMs *= share;
    this.#decayedMs = nowMs;
  }
}
