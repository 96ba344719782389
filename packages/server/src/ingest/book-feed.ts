import type { BookFeed, Publisher } from '@crosstape/venues';
import { FeedGroup, type FeedGroupOptions } from './feed-group.ts';
import type { MarketReceiver } from './market-feed.ts';
import type { Market } from '@crosstape/core';

/** The order books of a venue's markets, as their keeper sees them. */
export interface OpenBookFeed {
  readonly publisher: Publisher;
  readonly feed: BookFeed;
  /** Whether a client follows the book of a symbol. */
  isSubscribed(symbol: string): boolean;
  /** When the connection of a symbol last received anything, pongs included. */
  lastReceivedMs(symbol: string): number | undefined;
  /** Resubscribes to a book, so that it begins with a snapshot. */
  renew(symbol: string): void;
}

/** Opens the keeper of a venue's books. */
export type OpenBooks = (feed: OpenBookFeed) => MarketReceiver;

export interface MarketBookFeedOptions {
  readonly publisher: Publisher;
  readonly open: OpenBooks;
  /** How the sockets are run. */
  readonly group: Omit<FeedGroupOptions, 'feed' | 'sink'> & { readonly feed: BookFeed };
}

/** Runs the feed of a venue's order books: connected while a client follows one. */
export class MarketBookFeed {
  readonly #group: FeedGroup;
  readonly #keeper: MarketReceiver;

  constructor({ publisher, open, group }: MarketBookFeedOptions) {
    this.#keeper = open({
      publisher,
      feed: group.feed,
      isSubscribed: (symbol) => this.#group.isSubscribed(symbol),
      lastReceivedMs: (symbol) => this.#group.lastReceivedMs(symbol),
      renew: (symbol) => this.#group.renew([symbol]),
    });
    this.#group = new FeedGroup({ ...group, sink: this.#keeper.receive });
  }

  listed(markets: readonly Market[]): void {
    this.#keeper.listed(markets);
    this.#group.list(markets);
  }

  follow(symbols: readonly string[]): void {
    this.#group.follow(symbols);
  }

  async stop(): Promise<void> {
    await this.#group.stop();
  }
}
