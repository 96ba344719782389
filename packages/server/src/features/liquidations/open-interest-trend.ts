/** Open interest of a coin when it was polled. */
export interface Poll {
  readonly atMs: number;
  readonly coins: number;
}

/** Polls needed before a fall is significant. */
const POLLS_MIN = 10;
/** Over how many polls the drift and the noise around it are averaged. */
const DRIFT_POLLS = 10;
const NOISE_POLLS = 60;
/** A change counts in these averages for at most this many times the noise. */
const OUTLIER_NOISES = 3;
/** Below this share of open interest nothing can be concluded. */
const NOISE_MIN_SHARE = 1e-6;
/** Falls within this many times the noise do not count. */
const FALL_NOISES_MIN = 2;

/** The usual change of a coin's open interest from poll to poll: drift, and noise around it. */
export class OpenInterestTrend {
  #polls = 0;
  #driftPerMs = 0;
  #noise = 0;

  /**
   * The coins by which open interest fell between two consecutive polls, beyond its drift; 0 if within the noise, and
   * undefined while too little is known. Learns from the pair, so each is passed once.
   */
  fallBetween(from: Poll, to: Poll): number | undefined {
    const lengthMs = to.atMs - from.atMs;
    const expected = this.#driftPerMs * lengthMs;
    const surprise = to.coins - from.coins - expected;
    const isKnown = this.#polls >= POLLS_MIN;
    const fall = -surprise >= FALL_NOISES_MIN * this.#noise ? Math.max(0, -surprise) : 0;
    this.#polls += 1;
    const most = isKnown ? OUTLIER_NOISES * this.#noise : Number.POSITIVE_INFINITY;
    const counted = Math.max(-most, Math.min(most, surprise));
    this.#driftPerMs += counted / lengthMs / Math.min(this.#polls, DRIFT_POLLS);
    this.#noise += (Math.abs(counted) - this.#noise) / Math.min(this.#polls, NOISE_POLLS);
    this.#noise = Math.max(this.#noise, NOISE_MIN_SHARE * to.coins);
    return isKnown ? fall : undefined;
  }
}
