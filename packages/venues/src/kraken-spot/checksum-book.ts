import { type BookLevel, type BookSides, crc32 } from '@crosstape/core';

/** Levels a side that the checksum is made of. */
const CHECKED_LEVELS = 10;

/** A level as it was sent: price and size. */
type TextLevel = readonly [price: string, size: string];

/** A book of few levels that keeps prices and sizes as they were sent, for the checksum. */
export class ChecksumBook {
  readonly #depth: number;
  #bids: readonly TextLevel[] = [];
  #asks: readonly TextLevel[] = [];

  constructor(depth: number) {
    this.#depth = depth;
  }

  apply({ bids, asks }: { readonly bids: readonly TextLevel[]; readonly asks: readonly TextLevel[] }): void {
    this.#bids = this.#changed(this.#bids, bids, (a, b) => b - a);
    this.#asks = this.#changed(this.#asks, asks, (a, b) => a - b);
  }

  /** Of the digits of the best asks and then the best bids, without points and leading zeros [D]. */
  get checksum(): number {
    const levels = [...this.#asks.slice(0, CHECKED_LEVELS), ...this.#bids.slice(0, CHECKED_LEVELS)];
    const digits = levels.flat().map((text) => text.replace('.', '').replace(/^0+/, ''));
    return crc32(digits.join(''));
  }

  get levels(): BookSides {
    return { bids: this.#bids.map(levelOf), asks: this.#asks.map(levelOf) };
  }

  #changed(
    side: readonly TextLevel[],
    changes: readonly TextLevel[],
    order: (a: number, b: number) => number,
  ): readonly TextLevel[] {
    const byPrice = new Map(side.map((level) => [Number(level[0]), level]));
    for (const level of changes) {
      if (Number(level[1]) === 0) byPrice.delete(Number(level[0]));
      else byPrice.set(Number(level[0]), level);
    }
    const sorted = [...byPrice].toSorted(([a], [b]) => order(a, b));
    return sorted.slice(0, this.#depth).map(([, level]) => level);
  }
}

function levelOf([price, size]: TextLevel): BookLevel {
  return [Number(price), Number(size), 0];
}
