import {
  BOOK_LEVELS_MAX,
  type Book,
  type BookChange,
  type BookLevel,
  type BookSides,
  type Clock,
  coinUnitsOf,
  DepthBook,
  type Market,
  type Timer,
} from '@crosstape/core';
import type { OpenBookFeed, OpenBooks } from '../../ingest/book-feed.ts';
import type { FeedEvent, FeedSink } from '../../ingest/feed-sink.ts';
import type { MarketReceiver } from '../../ingest/market-feed.ts';
import type { Bus } from '../../platform/bus.ts';
import { wasSetBack } from '../../platform/set-back.ts';
import { bookTopic } from '../../topics.ts';

/** Minimum time between publications of a book, however often the venue sends changes. */
const PUBLISH_EVERY_MS = 200;
const WATCH_EVERY_MS = 1_000;
/** How often an unchanged book is published again while its connection answers pings: as proof that it delivers. */
const CONFIRM_EVERY_MS = 5_000;
/** After a subscription is renewed, a snapshot is waited for this long before it is renewed again. */
const RENEW_EVERY_MS = 5_000;
/** More than the feeds of a venue may subscribe to. */
const BOOKS_MAX = 200;

export interface MarketBooksOptions {
  readonly feed: OpenBookFeed;
  readonly clock: Clock;
  readonly bus: Bus;
}

interface Kept {
  readonly market: Market;
  readonly socket: number;
  /** Absent while a snapshot is waited for. */
  book: DepthBook | undefined;
  ts: number;
  isChanged: boolean;
  publishedMs: number;
  renewedMs: number;
  last?: Book;
}

/** Keeps the order books of one venue's markets while they are followed, and publishes their best levels. */
export class MarketBooks implements MarketReceiver {
  readonly #options: MarketBooksOptions;
  readonly #kept = new Map<string, Kept>();
  #markets: ReadonlyMap<string, Market> = new Map();
  /** Runs while a book is kept. */
  #watch: Timer | undefined;
  #publishing: Timer | undefined;

  constructor(options: MarketBooksOptions) {
    this.#options = options;
  }

  listed(markets: readonly Market[]): void {
    this.#markets = new Map(markets.map((market) => [market.symbol, market]));
  }

  readonly receive: FeedSink = (event) => {
    if (event.type === 'frame') this.#receiveFrame(event);
    // The content of a refused frame is lost for the books of its connection.
    else if (event.type === 'refused')
      this.#eachOf(event.socket, (symbol, kept) => this.#restart(symbol, kept));
    else if (event.type === 'socket' && event.kind === 'down')
      this.#eachOf(event.socket, (symbol, kept) => {
        this.#markStale(kept);
        this.#kept.delete(symbol);
      });
  };

  stop(): void {
    this.#watch?.cancel();
    this.#publishing?.cancel();
    this.#kept.clear();
  }

  #receiveFrame({ socket, frame, receivedAtMs }: Extract<FeedEvent, { type: 'frame' }>): void {
    if (frame.kind === 'bookChange') this.#add(socket, frame.change, receivedAtMs);
    else if (frame.kind === 'bookGap') {
      for (const symbol of frame.symbols) {
        const kept = this.#open(symbol, socket);
        if (kept) this.#restart(symbol, kept);
      }
    }
  }

  #add(socket: number, change: BookChange, receivedAtMs: number): void {
    const kept = this.#open(change.symbol, socket);
    if (!kept) return;
    if (change.isSnapshot) kept.book ??= new DepthBook();
    // The snapshot did not arrive, or has yet to.
    if (!kept.book) return this.#restart(change.symbol, kept);
    kept.book.apply(change);
    kept.ts = change.venueTs ?? receivedAtMs;
    kept.isChanged = true;
    if (!kept.last || kept.last.stale) return this.#publish(change.symbol, kept);
    this.#publishing ??= this.#options.clock.after(PUBLISH_EVERY_MS, () => {
      this.#publishing = undefined;
      for (const [symbol, one] of this.#kept) if (one.isChanged) this.#publish(symbol, one);
    });
  }

  /** The book of a symbol; a new socket starts an empty one. */
  #open(symbol: string, socket: number): Kept | undefined {
    const kept = this.#kept.get(symbol);
    if (kept?.socket === socket) return kept;
    const market = this.#markets.get(symbol);
    if (!market || (!kept && this.#kept.size >= BOOKS_MAX)) return undefined;
    const fresh: Kept = {
      market,
      socket,
      book: undefined,
      ts: 0,
      isChanged: false,
      publishedMs: 0,
      renewedMs: this.#options.clock.now(),
    };
    this.#kept.set(symbol, fresh);
    this.#watch ??= this.#options.clock.every(WATCH_EVERY_MS, () => this.#check());
    return fresh;
  }

  #publish(symbol: string, kept: Kept): void {
    const { bus, clock, feed } = this.#options;
    const { book, market } = kept;
    kept.isChanged = false;
    if (!book) return;
    if (book.isTooShort(BOOK_LEVELS_MAX) || (book.isCrossed && !feed.feed.mayCross))
      return this.#restart(symbol, kept);
    const sides = book.isCrossed ? book.bestUncrossed(BOOK_LEVELS_MAX) : book.best(BOOK_LEVELS_MAX);
    const confirmedTs = clock.now();
    kept.publishedMs = confirmedTs;
    // A venue that sends books without any level has a fault, or nothing to trade: neither is a live book.
    const isEmpty = sides.bids.length === 0 && sides.asks.length === 0;
    if (isEmpty && kept.last?.stale) return;
    kept.last = {
      coin: market.coin,
      venue: market.venue,
      ...inCoins(sides, market),
      ts: kept.ts,
      confirmedTs,
      ...(isEmpty && { stale: true }),
    };
    bus.publish(bookTopic(market.id), kept.last);
  }

  /** The book is no longer known: it begins again with a snapshot. */
  #restart(symbol: string, kept: Kept): void {
    const { clock, feed } = this.#options;
    this.#markStale(kept);
    const isKnown = kept.book !== undefined;
    kept.book = undefined;
    kept.isChanged = false;
    const nowMs = clock.now();
    const isSoon = nowMs - kept.renewedMs < RENEW_EVERY_MS && !wasSetBack(kept.renewedMs, nowMs);
    if (!isKnown && isSoon) return;
    kept.renewedMs = nowMs;
    feed.renew(symbol);
  }

  #markStale(kept: Kept): void {
    if (!kept.last || kept.last.stale) return;
    kept.last = { ...kept.last, stale: true };
    this.#options.bus.publish(bookTopic(kept.market.id), kept.last);
  }

  #check(): void {
    const { clock, feed } = this.#options;
    const nowMs = clock.now();
    for (const [symbol, kept] of this.#kept) {
      if (!feed.isSubscribed(symbol)) this.#kept.delete(symbol);
      else if (!kept.book) this.#restart(symbol, kept);
      else if (Math.abs(nowMs - kept.publishedMs) >= CONFIRM_EVERY_MS && this.#isDelivering(symbol))
        this.#publish(symbol, kept);
    }
    if (this.#kept.size > 0) return;
    this.#watch?.cancel();
    this.#watch = undefined;
  }

  #isDelivering(symbol: string): boolean {
    const { clock, feed } = this.#options;
    const silentMs = clock.now() - (feed.lastReceivedMs(symbol) ?? Number.NEGATIVE_INFINITY);
    return silentMs <= feed.feed.ping.everyMs;
  }

  #eachOf(socket: number, act: (symbol: string, kept: Kept) => void): void {
    for (const [symbol, kept] of this.#kept) if (kept.socket === socket) act(symbol, kept);
  }
}

/** The keepers of all venues' books. */
export function startMarketBooks(options: Omit<MarketBooksOptions, 'feed'>): {
  readonly open: OpenBooks;
  stop(): void;
} {
  const keepers: MarketBooks[] = [];
  return {
    open(feed) {
      const keeper = new MarketBooks({ ...options, feed });
      keepers.push(keeper);
      return keeper;
    },
    stop() {
      for (const keeper of keepers) keeper.stop();
    },
  };
}

/** From the unit of a market to the primary venue's coins; prices keep their currency. */
function inCoins({ bids, asks }: BookSides, market: Market): BookSides {
  const units = coinUnitsOf(market);
  const convert = ([price, size, count]: BookLevel): BookLevel => [
    units.price(price),
    units.size(size),
    count,
  ];
  return { bids: bids.map(convert), asks: asks.map(convert) };
}
