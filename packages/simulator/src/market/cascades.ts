import type { Side } from '@crosstape/core';
import { SLOT_BLOCKS } from './blocks.ts';
import type { Coin } from './coins.ts';
import { mix, uniformOf } from './noise.ts';
import type { PricePath } from './price-path.ts';

/**
 * At most one cascade begins in each window of 2^15 blocks, about 70 minutes, and its effects have ended at the end of
 * the window.
 */
const WINDOW_BLOCKS = 2 ** 15;
const WINDOW_SLOTS = WINDOW_BLOCKS / SLOT_BLOCKS;
/** For a coin with this many trades a week or more; a quieter one has fewer positions to lose. */
const CASCADE_CHANCE = 0.3;
const CASCADE_TRADES = 200_000;
const MAGNITUDE_MAX = 25;
export const CASCADE_SLOTS_MAX = 6;
/** For a cascade of magnitude 1: its push relative to a day's volatility, and the share of open interest it closes. */
const PUSH = 0.035;
const OPEN_INTEREST_SHARE = 0.0008;
/** Minimum average size of forced orders relative to the touch: smaller ones start no cascade. */
const FORCED_TOUCHES_MIN = 6;
/** The part of the push by which the perpetual leaves its index. */
const DISLOCATION = 0.45;

/** Forced orders that chase one another: positions are closed against a price that their closing moves. */
export interface Cascade {
  readonly startBlock: number;
  readonly endBlock: number;
  readonly windowEndBlock: number;
  /** Side of the forced orders: `sell` when longs are liquidated. */
  readonly side: Side;
  /** At its worst, as a log return; negative when longs are liquidated. */
  readonly push: number;
  readonly openInterestShare: number;
  readonly orders: number;
  readonly magnitude: number;
}

export interface CascadesOptions {
  readonly salt: number;
  readonly path: PricePath;
  readonly coin: Coin;
  /** Average size at the touch. */
  readonly touchUsd: number;
  readonly isOn: boolean;
}

/** The cascades of one coin: scheduled by hash, in the direction of the previous price move. */
export class Cascades {
  readonly #salt: number;
  readonly #path: PricePath;
  readonly #dailyVolatility: number;
  readonly #chance: number;
  readonly #touchShare: number;
  #window = -1;
  #cascade: Cascade | undefined;

  constructor(options: CascadesOptions) {
    const { salt, path, coin, touchUsd, isOn } = options;
    this.#salt = salt;
    this.#path = path;
    this.#dailyVolatility = coin.dailyVolatility;
    this.#chance = isOn ? CASCADE_CHANCE * Math.min(1, (coin.tradesPerWeek / CASCADE_TRADES) ** 0.25) : 0;
    this.#touchShare = touchUsd / coin.openInterestUsd;
  }

  /** The cascade that began in the window of a block, whether before or after it. */
  near(block: number): Cascade | undefined {
    const window = Math.floor(block / WINDOW_BLOCKS);
    if (window !== this.#window) {
      this.#window = window;
      this.#cascade = this.#schedule(window);
    }
    return this.#cascade;
  }

  /** All cascades that begin in [fromBlock, toBlock). */
  between(fromBlock: number, toBlock: number): Cascade[] {
    const found: Cascade[] = [];
    const last = Math.floor((toBlock - 1) / WINDOW_BLOCKS);
    for (let window = Math.floor(fromBlock / WINDOW_BLOCKS); window <= last; window += 1) {
      const cascade = this.near(window * WINDOW_BLOCKS);
      if (cascade && cascade.startBlock >= fromBlock && cascade.startBlock < toBlock) found.push(cascade);
    }
    return found;
  }

  #schedule(window: number): Cascade | undefined {
    const salt = mix(this.#salt, window);
    if (uniformOf(salt) >= this.#chance) return undefined;
    // A heavy tail: most are a few orders, one in a hundred is a bad hour.
    const magnitude = Math.min(MAGNITUDE_MAX, (1 - uniformOf(mix(salt, 1))) ** -0.75);
    const startSlot = Math.floor(WINDOW_SLOTS * (0.05 + 0.5 * uniformOf(mix(salt, 2))));
    const slots = Math.min(CASCADE_SLOTS_MAX, Math.ceil(Math.sqrt(magnitude)));
    const windowStart = window * WINDOW_BLOCKS;
    const startBlock = windowStart + startSlot * SLOT_BLOCKS;
    const isFall = this.#path.at(startBlock) < this.#path.at(windowStart);
    const push = PUSH * magnitude * this.#dailyVolatility;
    const orders = 1 + Math.floor(2 * magnitude ** 0.8 * uniformOf(mix(salt, 3)));
    return {
      startBlock,
      endBlock: startBlock + slots * SLOT_BLOCKS,
      windowEndBlock: windowStart + WINDOW_BLOCKS,
      side: isFall ? 'sell' : 'buy',
      push: isFall ? -push : push,
      openInterestShare: Math.max(
        OPEN_INTEREST_SHARE * magnitude,
        orders * FORCED_TOUCHES_MIN * this.#touchShare,
      ),
      orders,
      magnitude,
    };
  }
}

/**
 * Progress of a cascade: 0 before it, 1 at its end, and back to 0 at the end of its window; a higher power of two
 * recovers sooner.
 */
function course(cascade: Cascade, block: number, recovery: number): number {
  const { startBlock, endBlock, windowEndBlock } = cascade;
  if (block <= startBlock) return 0;
  if (block < endBlock) {
    const u = (block - startBlock) / (endBlock - startBlock);
    return u * u * (3 - 2 * u);
  }
  const left = 1 - (block - endBlock) / (windowEndBlock - endBlock);
  let power = left;
  for (let i = 1; i < recovery; i *= 2) power *= power;
  return power;
}

/** Effect of a cascade on the index, as a log return. */
export function indexPush(cascade: Cascade, block: number): number {
  return cascade.push * (1 - DISLOCATION) * course(cascade, block, 4);
}

/** Effect of a cascade on the premium of the perpetual, which recovers sooner. */
export function premiumPush(cascade: Cascade, block: number): number {
  return cascade.push * DISLOCATION * course(cascade, block, 16);
}

/** The share of closed positions that has been reopened at a block after the cascade's end. */
export function reopenedShare(cascade: Cascade, block: number): number {
  return 1 - course(cascade, block, 2);
}

/** The remaining share of the book's depth while a cascade runs. */
export function depthLeft(cascade: Cascade, block: number): number {
  return 1 - Math.min(0.6, 0.25 * Math.sqrt(cascade.magnitude)) * course(cascade, block, 16);
}
