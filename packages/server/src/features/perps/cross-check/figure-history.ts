/** Samples that a history has: three hours at one each ten minutes. A wrong unit is a jump; markets drift. */
const SAMPLES_MAX = 18;
/** Minimum samples for a baseline: two hours. */
const SAMPLES_MIN = 12;
/** A new level is accepted after this many samples: a day. */
const UNUSUAL_MAX = 144;
/** A figure that is unchanged for this many samples, and this many times longer than ever before, is stale. */
const STALE_SAMPLES_MIN = 12;
const STALE_TIMES = 3;
/** From the median absolute deviation to the standard deviation of a normal distribution. */
const MAD_TO_SIGMA = 1.4826;

/** Baseline of one figure: median and spread of its last hours, and how long it stays unchanged. */
export class FigureHistory {
  /** Which of the checks it learns from; given by its owner. */
  turn: number | undefined;
  #samples: number[] = [];
  #median = 0;
  #sigma = 0;
  #last = Number.NaN;
  /** Samples in a row with the same value, and the most that there were. */
  #unchanged = 0;
  #unchangedMax = 1;
  /** Consecutive unusual samples. */
  #unusual = 0;

  get isKnown(): boolean {
    return this.#samples.length >= SAMPLES_MIN;
  }

  get median(): number {
    return this.#median;
  }

  /** Whether a place is further from the median than `times` standard deviations, and further than `least`. */
  isFar(place: number, times: number, least: number): boolean {
    return this.isKnown && Math.abs(place - this.#median) > Math.max(times * this.#sigma, least);
  }

  get isStale(): boolean {
    return this.#unchanged >= Math.max(STALE_SAMPLES_MIN, STALE_TIMES * this.#unchangedMax);
  }

  /**
   * Adds a sample: `place` is compared, `value` is the venue's figure. Unusual samples are not learned until they have
   * lasted for a day: then they are the new level.
   */
  learn(place: number, value: number, isUnusual: boolean): void {
    if (value === this.#last) this.#unchanged += 1;
    else {
      if (!this.isStale) this.#unchangedMax = Math.max(this.#unchangedMax, this.#unchanged);
      this.#unchanged = 0;
    }
    this.#last = value;
    this.#unusual = isUnusual ? this.#unusual + 1 : 0;
    if (isUnusual && this.#unusual < UNUSUAL_MAX) return;
    if (isUnusual) this.#samples = [];
    this.#samples.push(place);
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
    this.#median = medianOf(this.#samples);
    this.#sigma = MAD_TO_SIGMA * medianOf(this.#samples.map((one) => Math.abs(one - this.#median)));
  }
}

export function medianOf(values: readonly number[]): number {
  return middleOf(Float64Array.from(values).toSorted());
}

/** The median of values in order. */
export function middleOf(sorted: ArrayLike<number>): number {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The value with half of the weight below it. */
export function weightedMedianOf(pairs: readonly (readonly [value: number, weight: number])[]): number {
  const sorted = pairs.toSorted(([a], [b]) => a - b);
  let left = sorted.reduce((sum, [, weight]) => sum + weight, 0) / 2;
  for (const [value, weight] of sorted) {
    left -= weight;
    if (left <= 0) return value;
  }
  return Number.NaN;
}
