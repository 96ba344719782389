import type { MarketTrade } from '@crosstape/core';

export type IdentifiedTrade = Pick<MarketTrade, 'venueTs' | 'tid' | 'side' | 'price' | 'size' | 'count'>;

/** The latest venue time of the trades of a market, and the trades with this time. */
export class NewestTime {
  #ms = 0;
  #first: IdentifiedTrade | undefined;
  /** The others: mostly there is none. To shorten an array takes as long as all else here. */
  #others: IdentifiedTrade[] = [];

  /** 0 before the first trade. */
  get ms(): number {
    return this.#ms;
  }

  get trades(): readonly IdentifiedTrade[] {
    return this.#first ? [this.#first, ...this.#others] : [];
  }

  add(trade: IdentifiedTrade): void {
    const { venueTs } = trade;
    if (venueTs < this.#ms) return;
    if (venueTs === this.#ms && this.#first) {
      this.#others.push(trade);
      return;
    }
    this.#ms = venueTs;
    this.#first = trade;
    if (this.#others.length > 0) this.#others = [];
  }
}
