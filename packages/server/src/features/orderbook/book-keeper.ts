import {
  BOOK_LEVELS_MAX,
  type Book,
  type Clock,
  mergeBook,
  type Timer,
  type VenueBook,
} from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { bookTopic } from '../../topics.ts';
import type { FeedSink, ReceivedFrame } from '../../ingest/feed-sink.ts';

const FEED = 'books';
/** More coins than any venue lists. */
const COINS_MAX = 1_000;
/** A book without an update for this long, twice the cadence of the slower view, is no longer sent. */
const SILENT_MAX_MS = 10_000;
/** Deep levels that were not updated for this long are not shown any more. */
const DEEP_MAX_MS = 15_000;
const WATCH_EVERY_MS = 1_000;

export interface BookKeeperOptions {
  /** Id of the venue whose books are kept. */
  readonly venue: string;
  readonly clock: Clock;
  readonly bus: Bus;
}

interface Kept {
  /** The socket of the views: another one has another book. */
  readonly socket: number;
  full?: { readonly book: VenueBook; readonly receivedAtMs: number };
  top?: VenueBook;
  lastReceivedMs: number;
  last?: Book;
}

/** Makes one book from both views of each followed coin, and publishes it with every update of one of them. */
export class BookKeeper {
  readonly #options: BookKeeperOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #watch: Timer;

  constructor(options: BookKeeperOptions) {
    this.#options = options;
    this.#watch = options.clock.every(WATCH_EVERY_MS, () => this.#loseSilent());
  }

  /** Receives the books of its venue, and the state of their sockets. */
  readonly receive: FeedSink = (event) => {
    if (event.venue !== this.#options.venue) return;
    if (event.type === 'frame') {
      if (event.frame.kind === 'book') this.#add(event, event.frame.book);
    } else if (event.type === 'socket' && event.feed === FEED && event.kind === 'down') {
      this.#loseSocket(event.socket);
    }
  };

  stop(): void {
    this.#watch.cancel();
    this.#kept.clear();
  }

  #add({ socket, receivedAtMs }: ReceivedFrame, book: VenueBook): void {
    const { venue, bus } = this.#options;
    const { coin } = book;
    let kept = this.#kept.get(coin);
    if (kept?.socket !== socket) {
      if (!kept && this.#kept.size >= COINS_MAX) return;
      kept = { socket, lastReceivedMs: receivedAtMs };
      this.#kept.set(coin, kept);
    }
    kept.lastReceivedMs = receivedAtMs;
    if (book.depth < BOOK_LEVELS_MAX) kept.top = book;
    else kept.full = { book, receivedAtMs };
    if (kept.full && receivedAtMs - kept.full.receivedAtMs > DEEP_MAX_MS) delete kept.full;
    const merged = mergeBook({ full: kept.full?.book, top: kept.top });
    // Both views of one block are identical.
    if (!merged || (merged.ts === kept.last?.ts && merged.deepTs === kept.last.deepTs)) return;
    kept.last = { coin, venue, ...merged };
    bus.publish(bookTopic(coin), kept.last);
  }

  #loseSocket(socket: number): void {
    for (const [coin, kept] of this.#kept) if (kept.socket === socket) this.#lose(coin, kept);
  }

  #loseSilent(): void {
    const oldestMs = this.#options.clock.now() - SILENT_MAX_MS;
    for (const [coin, kept] of this.#kept) if (kept.lastReceivedMs < oldestMs) this.#lose(coin, kept);
  }

  /** Publishes once that the book is no longer reliable. When the venue sends it again, it starts from scratch. */
  #lose(coin: string, { last }: Kept): void {
    this.#kept.delete(coin);
    if (last) this.#options.bus.publish(bookTopic(coin), { ...last, stale: true });
  }
}
