import { DAY_MS, HOUR_MS } from '@crosstape/core';
import { BLOCK_MS } from './blocks.ts';
import { gaussOf, logNormalTable, mix } from './noise.ts';

/** How busy each hour of the day (UTC) is: Asia's morning, Europe's, and the peak when New York opens. */
const HOURS = [
  1.02, 1.0, 0.92, 0.84, 0.76, 0.7, 0.74, 0.86, 0.96, 0.98, 0.92, 0.9, 1.04, 1.38, 1.62, 1.5, 1.32, 1.18,
  1.08, 1.04, 1.0, 0.94, 0.88, 0.94,
] as const;

/** From Thursday, the first of January 1970. */
const WEEKDAYS = [1.12, 1.1, 0.68, 0.74, 1.06, 1.14, 1.14] as const;

/** Activity of the moment against that of an average one. */
function session(atMs: number): number {
  const x = (atMs % DAY_MS) / HOUR_MS;
  const hour = Math.floor(x);
  const from = HOURS[hour] ?? 1;
  const to = HOURS[(hour + 1) % 24] ?? 1;
  return (from + (to - from) * (x - hour)) * (WEEKDAYS[Math.floor(atMs / DAY_MS) % 7] ?? 1);
}

/** An era of 2^26 blocks, about 99 days, is halved again and again down to the single block. */
const LEVELS = 26;
const ERA_BLOCKS = 2 ** LEVELS;
const DAY_BLOCKS = 86_400_000 / BLOCK_MS;

/** Between these levels (18 hours and 16 seconds) volatility is multiplied at random: calm and storm on every scale. */
const CLUSTER_FROM = 7;
const CLUSTER_TO = 19;
const CLUSTER_SIGMA = 0.2;
/** From this level (17 minutes) on, the hour of the day and the day of the week count. */
const SESSION_LEVEL = 13;
/** The level whose intervals are slots. */
const SLOT_LEVEL = 20;
/** Standard deviation of the price at the turn of an era from the coin's usual one. */
const ERA_SIGMA = 0.12;

/** Mean square 1, so that they make volatility cluster and leave its average alone. */
const MULTIPLIERS = logNormalTable(CLUSTER_SIGMA).map((factor) => factor * Math.exp(-(CLUSTER_SIGMA ** 2)));

export interface PathOptions {
  readonly seed: number;
  /** Salt of this path. */
  readonly salt: number;
  readonly dailyVolatility: number;
  /** With the noise that all paths of the seed share. */
  readonly correlation: number;
}

/**
 * The logarithm of a price as a pure function of seed and block: a Brownian path built by midpoint displacement whose
 * normals are hashed from their place in the tree, and whose volatility is a random product over the levels above. The
 * path caches its last branch, so that going forward costs a few levels and not all of them.
 */
export class PricePath {
  readonly #options: PathOptions;
  readonly #left = new Float64Array(LEVELS + 1);
  readonly #right = new Float64Array(LEVELS + 1);
  readonly #sigma = new Float64Array(LEVELS + 1);
  readonly #spread = new Float64Array(LEVELS);
  readonly #sharedSalts = new Int32Array(LEVELS);
  readonly #ownSalts = new Int32Array(LEVELS);
  readonly #own: number;
  #era = -1;
  #leaf = 0;
  /** The level down to which the branch of the leaf is worked out. */
  #known = 0;

  constructor(options: PathOptions) {
    this.#options = options;
    this.#own = Math.sqrt(1 - options.correlation ** 2);
    for (let level = 0; level < LEVELS; level += 1) {
      this.#spread[level] = (options.dailyVolatility * Math.sqrt(2 ** (LEVELS - level) / DAY_BLOCKS)) / 2;
    }
  }

  /** The logarithm of price over usual price at a block. */
  at(block: number): number {
    this.#reach(block, LEVELS);
    return this.#left[LEVELS]!;
  }

  /** Goes to a block only as closely as its slot: enough for `turbulence` and `slotReturn`. */
  near(block: number): void {
    this.#reach(block, SLOT_LEVEL);
  }

  /** Volatility relative to the average, in the slot of the last requested block. */
  get turbulence(): number {
    return this.#sigma[SLOT_LEVEL]!;
  }

  /** Log return over the whole slot of the last requested block. */
  get slotReturn(): number {
    return this.#right[SLOT_LEVEL]! - this.#left[SLOT_LEVEL]!;
  }

  #reach(block: number, level: number): void {
    const era = Math.floor(block / ERA_BLOCKS);
    const leaf = block - era * ERA_BLOCKS;
    if (era !== this.#era) this.#enter(era);
    else if (leaf !== this.#leaf) {
      const shared = Math.clz32(leaf ^ this.#leaf) - (32 - LEVELS);
      if (shared < this.#known) this.#known = shared;
    }
    this.#leaf = leaf;
    if (this.#known < level) this.#descend(leaf, this.#known, level);
  }

  #enter(era: number): void {
    const { seed, salt } = this.#options;
    this.#era = era;
    this.#known = 0;
    for (let level = 0; level < LEVELS; level += 1) {
      this.#sharedSalts[level] = mix(mix(seed, era), level);
      this.#ownSalts[level] = mix(mix(seed ^ salt, era), level);
    }
    const edge = mix(seed ^ salt, 0x0e7a);
    this.#left[0] = ERA_SIGMA * gaussOf(mix(edge, era));
    this.#right[0] = ERA_SIGMA * gaussOf(mix(edge, era + 1));
    this.#sigma[0] = 1;
  }

  #descend(leaf: number, from: number, to: number): void {
    this.#known = to;
    const shared = this.#options.correlation;
    const own = this.#own;
    for (let level = from; level < to; level += 1) {
      const node = leaf >> (LEVELS - level);
      const sharedHash = mix(this.#sharedSalts[level]!, node);
      const ownHash = mix(this.#ownSalts[level]!, node);
      const left = this.#left[level]!;
      const right = this.#right[level]!;
      let sigma = this.#sigma[level]!;
      const normal = shared * gaussOf(sharedHash) + own * gaussOf(ownHash);
      const middle = (left + right) / 2 + this.#spread[level]! * sigma * normal;
      const half = (leaf >> (LEVELS - 1 - level)) & 1;
      this.#left[level + 1] = half === 0 ? left : middle;
      this.#right[level + 1] = half === 0 ? middle : right;
      if (level >= CLUSTER_FROM && level < CLUSTER_TO) {
        // Every other level storms on all coins at once.
        const hash = mix((level & 1) === 0 ? sharedHash : ownHash, half + 1);
        sigma *= MULTIPLIERS[hash >>> 20]!;
      }
      if (level === SESSION_LEVEL) {
        sigma *= session((this.#era * ERA_BLOCKS + node * 2 ** (LEVELS - level)) * BLOCK_MS);
      }
      this.#sigma[level + 1] = sigma;
    }
  }
}
