/** Open positions of a coin when they were asked for. */
export interface Poll {
  readonly atMs: number;
  readonly coins: number;
}

/** Polls that must have been seen before a fall means anything. */
const POLLS_MIN = 10;
/** Over how many polls the drift and the noise around it are averaged. */
const DRIFT_POLLS = 10;
const NOISE_POLLS = 60;
/** A change counts in these averages for at most this many times the noise. */
const OUTLIER_NOISES = 3;
/** Below this part of the open positions nothing can be concluded. */
const NOISE_MIN_SHARE = 1e-6;
/** Falls within this many times the noise do not count. */
const FALL_NOISES_MIN = 2;

/** What the open interest of one coin usually does from poll to poll: it drifts, and jitters around the drift. */
export class OpenInterestTrend {
  #polls = 0;
  #driftPerMs = 0;
  #noise = 0;

  /**
   * The coins by which positions fell between two neighbouring polls, beyond their drift; 0 when that is within the
   * noise, and undefined while too little is known. Learns from them, so each pair is passed once.
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
