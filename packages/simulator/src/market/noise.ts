/**
 * Mixes two whole numbers into one well-spread signed 32-bit number. The market is built from millions of these, so
 * it takes plain arguments: `hash32` of core gathers its own into an array.
 */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  h ^= h >>> 12;
  h = Math.imul(h, 0x297a2d39);
  return h ^ (h >>> 15);
}

/** A hash as a number in [0, 1). */
export function uniformOf(hash: number): number {
  return (hash >>> 0) / 0x1_0000_0000;
}

/** One over the standard deviation of the sum of four bytes. */
const BYTES_SCALE = 1 / 147.8;

/** A hash as a near-normal number of mean 0 and variance 1: the sum of its four bytes. */
export function gaussOf(hash: number): number {
  return ((hash & 255) + ((hash >>> 8) & 255) + ((hash >>> 16) & 255) + (hash >>> 24) - 510) * BYTES_SCALE;
}

/**
 * Smooth noise over time, of mean 0 and variance near 1: hashed normals joined by curves, on several scales, each a
 * quarter of the previous one and `roughness` times as strong. Caches the last normals.
 */
export class SmoothNoise {
  readonly #salt: number;
  readonly #periodMs: Float64Array;
  readonly #weight: Float64Array;
  readonly #index: Float64Array;
  readonly #from: Float64Array;
  readonly #to: Float64Array;

  constructor(salt: number, { longestMs, octaves, roughness }: NoiseShape) {
    this.#salt = salt;
    this.#periodMs = Float64Array.from({ length: octaves }, (_, octave) => longestMs / 4 ** octave);
    const weights = Float64Array.from({ length: octaves }, (_, octave) => roughness ** octave);
    const deviation = Math.sqrt(CURVE_VARIANCE * weights.reduce((sum, weight) => sum + weight * weight, 0));
    this.#weight = weights.map((weight) => weight / deviation);
    this.#index = new Float64Array(octaves).fill(Number.NaN);
    this.#from = new Float64Array(octaves);
    this.#to = new Float64Array(octaves);
  }

  at(atMs: number): number {
    let sum = 0;
    for (let octave = 0; octave < this.#weight.length; octave += 1) {
      const x = atMs / this.#periodMs[octave]!;
      const index = Math.floor(x);
      if (index !== this.#index[octave]) {
        this.#index[octave] = index;
        this.#from[octave] = gaussOf(mix(this.#salt + octave, index));
        this.#to[octave] = gaussOf(mix(this.#salt + octave, index + 1));
      }
      const from = this.#from[octave]!;
      const f = x - index;
      const curve = from + (this.#to[octave]! - from) * f * f * (3 - 2 * f);
      sum += this.#weight[octave]! * curve;
    }
    return sum;
  }
}

export interface NoiseShape {
  readonly longestMs: number;
  readonly octaves: number;
  readonly roughness: number;
}

/** Share of the variance that remains between two normals, on average. */
const CURVE_VARIANCE = 26 / 35;

const QUANTILES = 4096;

/** Quantiles of the normal distribution, in the middle of each of 4096 equal parts. */
const NORMAL = Float64Array.from({ length: QUANTILES }, (_, i) => normalQuantile((i + 0.5) / QUANTILES));

/** Quantiles of exp(N(0, sigma)): a factor is drawn by one look-up with twelve random bits. */
export function logNormalTable(sigma: number): Float64Array {
  return NORMAL.map((quantile) => Math.exp(sigma * quantile));
}

/** The inverse of the normal distribution function, by bisection. */
function normalQuantile(p: number): number {
  let low = -5;
  let high = 5;
  for (let i = 0; i < 40; i += 1) {
    const middle = (low + high) / 2;
    if (normalBelow(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Abramowitz and Stegun 26.2.17: absolute error below 7.5e-8. */
function normalBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const poly =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = 0.3989422804014327 * Math.exp((-x * x) / 2) * poly;
  return x < 0 ? tail : 1 - tail;
}

/** A generator (mulberry32) that is reseeded for every slot, without allocating. */
export class Dice {
  #state = 0;

  seed(seed: number): void {
    this.#state = seed | 0;
  }

  /** 32 random bits, signed. */
  bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return t ^ (t >>> 14);
  }

  /** In [0, 1). */
  next(): number {
    return (this.bits() >>> 0) / 0x1_0000_0000;
  }
}
