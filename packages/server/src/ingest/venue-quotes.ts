import type { Clock, SpotQuote, Timer, VenueQuote } from '@crosstape/core';
import type { FeedEvent } from './feed-sink.ts';

/** Quotes are published this often at most, and by all venues at the same moment. */
export const QUOTES_PUBLISH_MS = 500;
/** More pairs than a feed of quotes may carry; beyond it the one that was quiet the longest is dropped. */
const QUOTES_MAX = 500;

export interface VenueQuotesOptions {
  readonly clock: Clock;
  /** Whether a pair is subscribed to at present. */
  readonly isSubscribed: (symbol: string) => boolean;
  readonly publish: (quotes: readonly SpotQuote[], newestMs: number) => void;
}

interface Entry {
  readonly quote: VenueQuote;
  readonly receivedAtMs: number;
  /** The socket whose frames prove that the quote is still current; absent if only its own frame does. */
  readonly heldBy?: number;
}

/**
 * The newest quote of each pair of a venue. Venues push hundreds a second: only the newest are kept, and published
 * twice a second.
 */
export class VenueQuotes {
  readonly #options: VenueQuotesOptions;
  /** By symbol, the last changed last. */
  readonly #entries = new Map<string, Entry>();
  /**
   * When each socket last delivered. Frames of one socket arrive in order, so nothing sent earlier is still to come.
   */
  readonly #deliveredMs = new Map<number, number>();
  #timer: Timer | undefined;

  constructor(options: VenueQuotesOptions) {
    this.#options = options;
  }

  /** An event of the feed of quotes. */
  receive(event: FeedEvent): void {
    if (event.type === 'socket' && event.kind === 'down') return this.#release(event.socket);
    if (event.type !== 'frame' || event.frame.kind !== 'quotes') return;
    const { frame, receivedAtMs, socket } = event;
    this.#deliveredMs.set(socket, receivedAtMs);
    for (const quote of frame.quotes) {
      this.#entries.delete(quote.symbol);
      this.#entries.set(quote.symbol, {
        quote,
        receivedAtMs,
        ...(frame.isEveryChange && { heldBy: socket }),
      });
    }
    for (const symbol of this.#entries.keys()) {
      if (this.#entries.size <= QUOTES_MAX) break;
      this.#entries.delete(symbol);
    }
    this.#publishSoon();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** A connection ended: changes may have been missed since, so its quotes are of their last moment. */
  #release(socket: number): void {
    for (const [symbol, entry] of this.#entries) {
      if (entry.heldBy !== socket) continue;
      const { receivedAtMs, venueTs } = this.#held(entry);
      const quote = venueTs === undefined ? entry.quote : { ...entry.quote, venueTs };
      this.#entries.set(symbol, { quote, receivedAtMs });
    }
    this.#deliveredMs.delete(socket);
  }

  #publishSoon(): void {
    const { clock, publish } = this.#options;
    // On a grid that all venues share.
    this.#timer ??= clock.after(QUOTES_PUBLISH_MS - (clock.now() % QUOTES_PUBLISH_MS), () => {
      this.#timer = undefined;
      const quotes = this.#current();
      if (quotes.length > 0) publish(quotes, Math.max(...quotes.map(({ receivedAtMs }) => receivedAtMs)));
    });
  }

  #current(): readonly SpotQuote[] {
    // A pair that is no longer subscribed to would count as quiet.
    for (const symbol of this.#entries.keys())
      if (!this.#options.isSubscribed(symbol)) this.#entries.delete(symbol);
    return [...this.#entries.values()].map((entry) => this.#held(entry));
  }

  /** The quote at the last time when it is known to be current; the venue's time moves along. */
  #held({ quote, receivedAtMs, heldBy }: Entry): SpotQuote {
    const untilMs = Math.max(receivedAtMs, (heldBy !== undefined && this.#deliveredMs.get(heldBy)) || 0);
    const { venueTs } = quote;
    return {
      ...quote,
      ...(venueTs !== undefined && { venueTs: venueTs + untilMs - receivedAtMs }),
      receivedAtMs: untilMs,
    };
  }
}
