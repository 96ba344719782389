import type { SpotTicker } from '@crosstape/core';
import type { Listed } from '@crosstape/venues';
import { FeedGroup } from './feed-group.ts';
import { FeedRefill } from './feed-refill.ts';
import type { FeedSink } from './feed-sink.ts';
import { QUOTES_PUBLISH_MS, VenueQuotes } from './venue-quotes.ts';
import type { VenueSetup } from './venue-setup.ts';
import type { TableSource } from './venue-tables.ts';

/** The tables that list what feeds can subscribe to. */
export const listTables = ['instruments', 'spotTickers'] as const;
export type ListTable = (typeof listTables)[number];
/** The table that the feeds of quotes fill; they share its source's name. */
const quotesTable: TableSource = { name: 'quotes', gives: ['spotQuotes'], everyMs: QUOTES_PUBLISH_MS };

/** Runs the feeds of a venue, their refills, and the table of quotes. */
export class VenueFeeds {
  readonly #setup: VenueSetup;
  readonly #refills: readonly (FeedRefill | undefined)[];
  readonly #quotes: VenueQuotes;
  readonly #groups: readonly FeedGroup[];

  constructor(setup: VenueSetup, sink: FeedSink) {
    this.#setup = setup;
    const { connector, polling, sockets, health, tables } = setup;
    this.#refills = connector.feeds.map(
      ({ name, refill }) =>
        refill &&
        new FeedRefill({
          ...polling,
          feed: name,
          refill,
          openMeter: () => health.source(refill.name, []),
          sink,
        }),
    );
    this.#quotes = new VenueQuotes({
      clock: polling.clock,
      isSubscribed: (symbol) => this.#groups.some((group) => group.isSubscribed(symbol)),
      publish: (rows, newestMs) => tables.put(quotesTable, { spotQuotes: rows }, newestMs),
      renew: (symbol) => this.renew(quotesTable.name, [symbol]),
    });
    this.#groups = connector.feeds.map(
      (feed, i) =>
        new FeedGroup({
          ...sockets,
          feed,
          openMeter: () => health.source(feed.name, [feed.name]),
          sink:
            feed.name === quotesTable.name
              ? (event) => this.#quotes.receive(event)
              : (this.#refills[i]?.watched ?? sink),
        }),
    );
  }

  /** Prices of pairs as polled, and the time of each. */
  polled(rows: readonly SpotTicker[], atMsOf: (i: number) => number): void {
    this.#quotes.polled(rows, atMsOf);
  }

  /** What feeds with this list can subscribe to. */
  list(table: ListTable, rows: readonly Listed[]): void {
    for (const [i, { listedBy = 'instruments' }] of this.#setup.connector.feeds.entries())
      if (listedBy === table) this.#groups[i]?.list(rows);
  }

  follow(feed: string, coins: readonly string[]): void {
    for (const group of this.#named(feed)) group.follow(coins);
  }

  renew(feed: string, topics: readonly string[]): void {
    for (const group of this.#named(feed)) group.renew(topics);
  }

  async stop(): Promise<void> {
    this.#quotes.stop();
    const refills = this.#refills.flatMap((refill) => refill ?? []);
    await Promise.all([...this.#groups, ...refills].map((part) => part.stop()));
  }

  #named(feed: string): readonly FeedGroup[] {
    return this.#groups.filter((_, i) => this.#setup.connector.feeds[i]?.name === feed);
  }
}
