import type { Clock, SpotQuote, SpotTicker, Timer, VenueQuote } from '@crosstape/core';
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
  /** Subscribes to a pair again. */
  readonly renew: (symbol: string) => void;
}

interface Entry {
  readonly quote: VenueQuote;
  readonly receivedAtMs: number;
  /** The socket whose frames prove that the quote is still current; absent if only its own frame does. */
  readonly heldBy?: number;
  /** Time of the polled price that first contradicted it. */
  contradictedMs?: number;
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

  /**
   * Prices of pairs as polled. Two in a row wholly outside of bid and ask prove that the venue no longer pushes the pair:
   * its quote is dropped.
   */
  polled(rows: readonly SpotTicker[], atMsOf: (i: number) => number): void {
    const held = new Map<string, Entry>();
    for (const entry of this.#entries.values())
      if (entry.heldBy !== undefined) held.set(pairOf(entry.quote), entry);
    if (held.size === 0) return;
    for (const [i, row] of rows.entries()) {
      const entry = held.get(pairOf(row));
      if (!entry || atMsOf(i) <= Math.max(entry.receivedAtMs, entry.contradictedMs ?? 0)) continue;
      if (!areApart(row, entry.quote)) delete entry.contradictedMs;
      else if (entry.contradictedMs === undefined) entry.contradictedMs = atMsOf(i);
      else {
        this.#entries.delete(entry.quote.symbol);
        this.#options.renew(entry.quote.symbol);
      }
    }
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

type Quoted = Pick<VenueQuote, 'bid' | 'ask'>;

function pairOf({ coin, quote }: Pick<VenueQuote, 'coin' | 'quote'>): string {
  return `${coin} ${quote}`;
}

/** Whether one bids more than the other asks. */
function areApart(a: Quoted, b: Quoted): boolean {
  const isAbove = ({ bid = 0 }: Quoted, { ask = Infinity }: Quoted): boolean => bid > ask;
  return isAbove(a, b) || isAbove(b, a);
}
