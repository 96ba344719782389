import type { Market } from '@crosstape/core';
import type { Publisher } from '@crosstape/venues';
import type { Bus } from '../../platform/bus.ts';
import type { MarketChoice } from '../../platform/market-choice.ts';
import { snapshotTopic } from '../../topics.ts';
import { chooseMarkets } from './record-markets.ts';

export interface MarketChooserOptions {
  readonly choice: MarketChoice;
  readonly bus: Bus;
  /** Id of the venue whose open interest ranks the coins. */
  readonly primaryVenue: string;
}

/** Chooses the markets of secondary venues that are recorded, by the open interest as last published. */
export class MarketChooser {
  readonly #options: MarketChooserOptions;
  readonly #leaves: (() => void)[] = [];

  constructor(options: MarketChooserOptions) {
    this.#options = options;
  }

  readonly choose = (publisher: Publisher, markets: readonly Market[]): readonly Market[] => {
    const { choice } = this.#options;
    const rows = this.#openInterestOf(publisher.id);
    // Until a venue's open interest is known, none of its contracts is the largest.
    if (!rows && 'top' in choice && markets.some(({ kind }) => kind === 'perp')) return [];
    const values = new Map((rows ?? []).map(({ symbol, usd, value }) => [symbol, usd ?? value ?? 0]));
    return chooseMarkets(choice, markets, {
      coins: this.#rankedCoins(),
      openInterest: (symbol) => values.get(symbol) ?? 0,
    });
  };

  /** Calls `update` when the first open interest of a venue arrives: it is time to choose again. */
  onOpenInterest(venue: string, update: () => void): void {
    const leave = this.#options.bus.subscribe(snapshotTopic(venue, 'openInterest'), () => {
      leave();
      update();
    });
    this.#leaves.push(leave);
  }

  stop(): void {
    for (const leave of this.#leaves) leave();
  }

  #openInterestOf(venue: string) {
    return this.#options.bus.latest(snapshotTopic(venue, 'openInterest'))?.message.rows;
  }

  #rankedCoins(): readonly string[] {
    const byCoin = new Map<string, number>();
    for (const { coin, usd, value } of this.#openInterestOf(this.#options.primaryVenue) ?? [])
      byCoin.set(coin, Math.max(byCoin.get(coin) ?? 0, usd ?? value ?? 0));
    return [...byCoin].toSorted(([, a], [, b]) => b - a).map(([coin]) => coin);
  }
}
