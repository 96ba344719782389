import type { BookLevel, BookSides } from './book.ts';

/** Levels kept per side. If a side had more, the levels beyond the worst of them are unknown. */
export const DEPTH_LEVELS_MAX = 2_000;

/** A venue's message about the book of a market, in the market's own unit. */
export interface BookChange extends BookSides {
  /** `Market.symbol`. */
  readonly symbol: string;
  /** Whether these are all levels. Otherwise the changed ones, in any order: a size of 0 removes a level. */
  readonly isSnapshot: boolean;
  /** The venue's time in ms; absent where the venue sends none. */
  readonly venueTs?: number;
}

/** A book maintained from snapshots and changes. */
export class DepthBook {
  readonly #bids = new Side((price, than) => price > than);
  readonly #asks = new Side((price, than) => price < than);

  apply({ isSnapshot, bids, asks }: BookSides & Pick<BookChange, 'isSnapshot'>): void {
    if (isSnapshot) {
      this.#bids.replace(bids);
      this.#asks.replace(asks);
    } else {
      for (const level of bids) this.#bids.set(level);
      for (const level of asks) this.#asks.set(level);
    }
  }

  /** A bid at or above an ask: such orders would have been matched. */
  get isCrossed(): boolean {
    const [bid] = this.#bids.best(1);
    const [ask] = this.#asks.best(1);
    return bid !== undefined && ask !== undefined && bid[0] >= ask[0];
  }

  /** Whether dropped levels may now be among the best: only a snapshot has them. */
  isTooShort(count: number): boolean {
    return this.#bids.isTooShort(count) || this.#asks.isTooShort(count);
  }

  best(count: number): BookSides {
    return { bids: this.#bids.best(count), asks: this.#asks.best(count) };
  }

  /**
   * The same for a book whose sides may overlap briefly: overlapping sizes are removed from both sides, level by level.
   */
  bestUncrossed(count: number): BookSides {
    const all = this.best(DEPTH_LEVELS_MAX);
    const bids = [...all.bids];
    const asks = [...all.asks];
    for (
      let [bid, ask] = [bids[0], asks[0]];
      bid && ask && bid[0] >= ask[0];
      [bid, ask] = [bids[0], asks[0]]
    ) {
      const left = bid[1] - ask[1];
      if (left > 0) bids[0] = [bid[0], left, bid[2]];
      else bids.shift();
      if (left < 0) asks[0] = [ask[0], -left, ask[2]];
      else asks.shift();
    }
    return { bids: bids.slice(0, count), asks: asks.slice(0, count) };
  }
}

/** One side, best first. */
class Side {
  readonly #isBetter: (price: number, than: number) => boolean;
  #levels: BookLevel[] = [];
  /** The worst price up to which all levels are known; absent while none was dropped. */
  #knownTo: number | undefined;

  constructor(isBetter: (price: number, than: number) => boolean) {
    this.#isBetter = isBetter;
  }

  replace(levels: readonly BookLevel[]): void {
    this.#levels = [];
    const sorted = levels.toSorted(([a], [b]) => (this.#isBetter(a, b) ? -1 : 1));
    const kept = sorted.slice(0, DEPTH_LEVELS_MAX);
    for (const level of kept)
      if (level[1] > 0 && this.#levels.at(-1)?.[0] !== level[0]) this.#levels.push(level);
    this.#knownTo = kept.length < sorted.length ? kept.at(-1)?.[0] : undefined;
  }

  set(level: BookLevel): void {
    if (this.#knownTo !== undefined && this.#isBetter(this.#knownTo, level[0])) return;
    const at = this.#place(level[0]);
    const isThere = this.#levels[at]?.[0] === level[0];
    if (level[1] > 0) this.#levels.splice(at, isThere ? 1 : 0, level);
    else if (isThere) this.#levels.splice(at, 1);
    if (this.#levels.length <= DEPTH_LEVELS_MAX) return;
    this.#levels.pop();
    this.#knownTo = this.#levels.at(-1)?.[0];
  }

  isTooShort(count: number): boolean {
    return this.#knownTo !== undefined && this.#levels.length < count;
  }

  best(count: number): readonly BookLevel[] {
    return this.#levels.slice(0, count);
  }

  /** The position of a price, or where it would be inserted. */
  #place(price: number): number {
    let from = 0;
    let to = this.#levels.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#isBetter(this.#levels[middle]![0], price)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
