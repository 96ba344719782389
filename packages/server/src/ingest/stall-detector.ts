import { ArrivalRate } from './arrival-rate.ts';

/** No feed is called stalled sooner. */
const STALL_MIN_MS = 5_000;
/**
 * A silence of this many mean gaps is a stall. For independent trades its chance is 3 in 10 million per gap: at one
 * trade in 4 s, one false stall in half a year.
 */
const STALL_GAPS = 15;

/**
 * Measures how often a feed sends data and decides when a silence is too long. It never learns from a stall: only a
 * silence that a back-fill proves empty counts towards the rate.
 */
export class StallDetector {
  readonly #maxMs: number;
  readonly #isBursty: boolean;
  readonly #rate = new ArrivalRate(0);

  /** Beyond `maxMs` silence is a stall at any rate. A bursty feed has no rate. */
  constructor(maxMs: number, isBursty = false) {
    this.#maxMs = maxMs;
    this.#isBursty = isBursty;
  }

  /** A connection starts: the time without one was not a silence of the feed. */
  begin(nowMs: number): void {
    this.#rate.restart(nowMs);
  }

  /** Data arrived. */
  end(nowMs: number): void {
    if (this.lengthMs(nowMs) > this.limitMs) this.#rate.restart(nowMs);
    this.#rate.arrive(nowMs);
  }

  /** A silence was not a stall: the back-fill that followed has nothing from it. */
  disprove(silentMs: number): void {
    this.#rate.addQuietTime(silentMs);
  }

  lengthMs(nowMs: number): number {
    // The clock was set back: count the silence from here, or it would go unnoticed until the clock catches up.
    if (nowMs < this.#rate.lastMs) this.#rate.restart(nowMs);
    return nowMs - this.#rate.lastMs;
  }

  get limitMs(): number {
    if (this.#isBursty) return this.#maxMs;
    return Math.min(this.#maxMs, Math.max(STALL_MIN_MS, Math.ceil(STALL_GAPS * this.#rate.meanGapMs)));
  }
}
