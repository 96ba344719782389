import type { MarketTrade } from '@crosstape/core';

export type IdentifiedTrade = Pick<MarketTrade, 'venueTs' | 'tid' | 'side' | 'price' | 'size' | 'count'>;

/** The latest venue time of the trades of a market, and the trades with this time. */
export class NewestTime {
  #ms = 0;
  readonly #trades: IdentifiedTrade[] = [];

  /** 0 before the first trade. */
  get ms(): number {
    return this.#ms;
  }

  get trades(): readonly IdentifiedTrade[] {
    return this.#trades;
  }

  add(trade: IdentifiedTrade): void {
    if (trade.venueTs < this.#ms) return;
    if (trade.venueTs > this.#ms) this.#trades.length = 0;
    this.#ms = trade.venueTs;
    this.#trades.push(trade);
  }
}
