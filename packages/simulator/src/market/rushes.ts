import { hashText, type Side } from '@crosstape/core';
import { SLOT_BLOCKS } from './blocks.ts';
import { mix, uniformOf } from './noise.ts';

/**
 * Coins with rushes, one after the other: always the same would soon be usual. And their bursts, relative to a calm
 * slot: where fewer trade, one large order counts for more.
 */
const BURSTS: Readonly<Record<string, number>> = { BTC: 5, ETH: 8, SOL: 8 };
const COINS = Object.keys(BURSTS);
/** One in every 52 minutes, within their first 5, so that an observer sees one within an hour. */
const EVERY_SLOTS = 384;
const START_SLOTS = 32;
/** 4 minutes. */
const LENGTH_SLOTS = 30;

/** Times when nearly all takers of a coin take the same side for some minutes. */
export class Rushes {
  readonly bursts: number;
  readonly #salt: number;
  readonly #turn: number;

  constructor(seed: number, coin: string) {
    this.bursts = BURSTS[coin] ?? 0;
    this.#salt = mix(seed, hashText('rush'));
    this.#turn = COINS.indexOf(coin);
  }

  /** The side taken in the slot that begins with a block; `undefined` while there is no rush. */
  at(firstBlock: number): Side | undefined {
    if (this.#turn < 0) return undefined;
    const slot = firstBlock / SLOT_BLOCKS;
    const stretch = Math.floor(slot / EVERY_SLOTS);
    if (stretch % COINS.length !== this.#turn) return undefined;
    const hash = mix(this.#salt, stretch);
    const done = slot - stretch * EVERY_SLOTS - Math.floor(START_SLOTS * uniformOf(mix(hash, 1)));
    if (done < 0 || done >= LENGTH_SLOTS) return undefined;
    return (hash & 1) === 0 ? 'buy' : 'sell';
  }
}
