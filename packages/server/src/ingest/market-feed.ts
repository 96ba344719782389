import type { Market } from '@crosstape/core';
import type { Publisher, TradeFeed, TradeGap } from '@crosstape/venues';
import { FeedGroup, type FeedGroupOptions } from './feed-group.ts';
import type { FeedSink } from './feed-sink.ts';
import type { SourceMeter } from './venue-health.ts';
import {
  type PastTrades,
  PastTradesClient,
  type PastTradesOptions,
  type UnreadPages,
} from './past-trades-client.ts';

/** The trade feed of a venue's markets, as its recorder sees it. */
export interface OpenMarketFeed {
  readonly publisher: Publisher;
  readonly feed: TradeFeed;
  /** Follows these markets from now on, and no others. */
  follow(markets: readonly Market[]): void;
  /** Requests missing trades; absent where the venue has no history. */
  readonly past?: (gap: TradeGap, rest?: UnreadPages) => Promise<PastTrades>;
  /** Reports in the venue's health why its record cannot be read; `undefined` when it can be read again. */
  readonly report?: (why: string | undefined) => void;
}

/** Chooses the followed markets of a venue, and receives their trades. */
export interface MarketReceiver {
  readonly receive: FeedSink;
  /** The venue lists these markets now. */
  listed(markets: readonly Market[]): void;
}

/** Opens the receiver of a venue. */
export type OpenMarkets = (feed: OpenMarketFeed) => MarketReceiver;

export interface MarketFeedOptions {
  readonly publisher: Publisher;
  readonly open: OpenMarkets;
  /** How the sockets are run. */
  readonly group: Omit<FeedGroupOptions, 'feed' | 'sink'> & { readonly feed: TradeFeed };
  /** Opens the health of the record, the first time that it cannot be read. */
  readonly openRecordMeter: () => Pick<SourceMeter, 'turn'>;
  /** How the past is requested. */
  readonly polling: Omit<PastTradesOptions, 'refill'>;
}

/** Runs the trade feed of a venue's markets: those that its receiver follows. */
export class MarketFeed {
  readonly #options: MarketFeedOptions;
  readonly #past: PastTradesClient | undefined;
  readonly #receiver: MarketReceiver;
  readonly #leaving = new Set<Promise<void>>();
  /** Absent while no market is followed. */
  #group: FeedGroup | undefined;
  #recordMeter: Pick<SourceMeter, 'turn'> | undefined;

  constructor(options: MarketFeedOptions) {
    const { publisher, open, group, polling } = options;
    this.#options = options;
    const refill = group.feed.past;
    this.#past = refill && new PastTradesClient({ ...polling, refill });
    const past = this.#past;
    this.#receiver = open({
      publisher,
      feed: group.feed,
      follow: (markets) => this.#follow(markets),
      report: (why) => this.#report(why),
      ...(past && { past: (gap: TradeGap, rest?: UnreadPages) => past.ask(gap, rest) }),
    });
  }

  listed(markets: readonly Market[]): void {
    this.#receiver.listed(markets);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#group?.stop(), this.#past?.stop(), ...this.#leaving]);
  }

  #report(why: string | undefined): void {
    if (why !== undefined) this.#recordMeter ??= this.#options.openRecordMeter();
    this.#recordMeter?.turn(why === undefined ? 'ok' : 'down', why);
  }

  #follow(markets: readonly Market[]): void {
    if (markets.length > 0) {
      this.#group ??= new FeedGroup({ ...this.#options.group, sink: this.#receiver.receive });
      return this.#group.list(markets);
    }
    const left = this.#group?.stop().finally(() => left && this.#leaving.delete(left));
    this.#group = undefined;
    if (left) this.#leaving.add(left);
  }
}
