import { type Clock, MINUTE_MS, type Timer } from '@crosstape/core';
import type { FaultBoard } from '../fault-board.ts';
import { mangleTrades } from '../mangle.ts';
import type { VenueMarket } from '../market/venue-market.ts';
import { SlidingWindow } from '../sliding-window.ts';
import type { VenueSocket } from '../venue-socket.ts';
import { type BookFollowing, FollowedWireBooks, type WireSides } from './order-book.ts';
import type { TradeLedger, TradeLedgers } from './trade-ledger.ts';
import type { Handshake } from './venue-simulator.ts';
import type { Following, Session, TradeFrame, WireSocket } from './wire.ts';

/** After a pause of the whole program, at most this much is caught up on. */
const CATCH_UP_MAX_MS = 10_000;
/** How often changes of books are sent. Venues send them every 20 to 100 ms; fewer are enough to be correct. */
const BOOKS_EVERY_MS = 200;
/** How often trades are sent, where the venue documents no other interval. */
const TRADES_EVERY_MS = 100;

export interface WireClientOptions {
  readonly rules: WireSocket;
  readonly socket: VenueSocket;
  readonly market: VenueMarket;
  readonly handshake: Handshake;
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly ledgers: TradeLedgers;
  readonly violate: (limit: string) => void;
  readonly skewMs: () => number;
  /** Called with each book after the last message. */
  readonly onBook: (symbol: string, book: WireSides) => void;
}

/** A market whose trades the client follows. */
interface Followed {
  readonly following: Following;
  readonly ledger: TradeLedger;
  /** The number of the first trade that it has not been sent. */
  next: number;
}

/** One client's socket. */
export class WireClient implements Session {
  readonly rules: WireSocket;
  readonly market: VenueMarket;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Handshake['headers'];
  readonly topics = new Set<string>();
  readonly memory = new Map<string, unknown>();
  readonly violate: (limit: string) => void;
  readonly skewMs: () => number;
  readonly #options: WireClientOptions;
  readonly #messages: SlidingWindow;
  readonly #timers: readonly Timer[];
  #booksTimer: Timer | undefined;
  readonly #books = new FollowedWireBooks();
  readonly #followed = new Map<string, Followed>();
  #pushedMs: number;
  #tradesMs: number;
  #receivedMs: number;
  onSkip: (ms: number) => void = () => undefined;

  constructor(options: WireClientOptions) {
    const { rules, socket, handshake, clock } = options;
    this.#options = options;
    this.rules = rules;
    this.market = options.market;
    this.path = handshake.path;
    this.query = handshake.query;
    this.headers = handshake.headers;
    this.violate = options.violate;
    this.skewMs = options.skewMs;
    this.#messages = new SlidingWindow({ clock, spanMs: MINUTE_MS, max: rules.messagesPerMinute });
    this.#pushedMs = clock.now();
    this.#tradesMs = clock.now();
    this.#receivedMs = clock.now();
    socket.onFrame((text) => this.#receive(text));
    const { everyMs, tradesEveryMs = TRADES_EVERY_MS } = rules;
    this.#timers = [
      clock.every(everyMs, () => this.#push()),
      clock.every(tradesEveryMs, () => this.#pushTrades()),
    ];
    rules.greet?.(this);
  }

  nowMs(): number {
    return this.#options.clock.now() + this.skewMs();
  }

  send(frame: string): void {
    this.#options.socket.send(frame);
  }

  close(code: number, reason: string): void {
    this.#options.socket.close(code, reason);
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#booksTimer?.cancel();
  }

  follow(topic: string, following: Following): void {
    const nowMs = this.#options.clock.now();
    const { market, snapshot } = following;
    const ledger = this.#options.ledgers.of(market, nowMs);
    const next = market.tape.nextAt(nowMs);
    this.topics.add(topic);
    this.#followed.set(topic, { following, ledger, next });
    if (!snapshot) return;
    const recent = ledger.read(next - snapshot.count, next, this.skewMs());
    this.#sendTrades(ledger, snapshot.print(recent));
  }

  followBook(topic: string, following: BookFollowing): void {
    const { clock } = this.#options;
    this.topics.add(topic);
    this.#books.add(topic, following, clock.now());
    this.#booksTimer ??= clock.every(BOOKS_EVERY_MS, () => this.#pushBooks());
    this.#pushBooks();
  }

  leave(topic: string): void {
    this.topics.delete(topic);
    this.#followed.delete(topic);
    this.#books.delete(topic);
  }

  #sendTrades(ledger: TradeLedger, frames: readonly TradeFrame[]): void {
    for (const { text, deals } of frames) this.#options.socket.send(text, () => ledger.markSent(deals));
  }

  #receive(text: string): void {
    this.#receivedMs = this.#options.clock.now();
    if (this.#messages.take(1)) return this.rules.receive(text, this);
    this.violate('messages');
    if (this.rules.tooMany) this.rules.tooMany(this);
    else this.close(1008, 'Too many messages');
  }

  #push(): void {
    const nowMs = this.#options.clock.now();
    const { silentMaxMs } = this.rules;
    if (silentMaxMs !== undefined && nowMs - this.#receivedMs > silentMaxMs) {
      return this.close(1000, 'Inactive');
    }
    const fromMs = Math.max(this.#pushedMs, nowMs - CATCH_UP_MAX_MS);
    this.onSkip(fromMs - this.#pushedMs);
    this.#pushedMs = nowMs;
    this.rules.push(this, fromMs, nowMs);
  }

  #pushTrades(): void {
    const nowMs = this.#options.clock.now();
    const stoodStill = nowMs - this.#tradesMs > CATCH_UP_MAX_MS;
    this.#tradesMs = nowMs;
    for (const followed of this.#followed.values()) {
      if (stoodStill) {
        const next = followed.following.market.tape.nextAt(nowMs - CATCH_UP_MAX_MS);
        followed.next = Math.max(followed.next, next);
      }
      this.#pushMarket(followed, nowMs);
    }
  }

  #pushBooks(): void {
    const { clock, faults, market, socket, onBook } = this.#options;
    const spot = { faults, venue: market.shape.id, part: 'ws' } as const;
    for (const { symbol, book, frames } of this.#books.due(clock.now(), this.nowMs())) {
      onBook(symbol, book);
      const sent = faults.isQuiet ? frames : mangleTrades(frames, spot);
      const isReordered = !faults.isQuiet && faults.strike(spot, 'reorder') !== undefined;
      for (const frame of isReordered ? sent.toReversed() : sent) socket.send(frame);
    }
  }

  #pushMarket(followed: Followed, nowMs: number): void {
    const { faults, market } = this.#options;
    const { following, ledger, next: from } = followed;
    const to = following.market.tape.nextAt(nowMs);
    followed.next = Math.max(to, from);
    if (to <= from) return;
    const spot = { faults, venue: market.shape.id, part: 'ws' } as const;
    const jump = faults.strike(spot, 'jump');
    if (jump) ledger.jump(from, jump.by);
    const deals = ledger.read(from, to, this.skewMs());
    if (faults.isQuiet) return this.#sendTrades(ledger, following.print(deals));
    const joined = mangleTrades(following.join?.(deals) ?? deals.map((deal) => [deal]), spot);
    if (joined.length === 0) return;
    const isReordered = faults.strike(spot, 'reorder') !== undefined;
    this.#sendTrades(ledger, following.print((isReordered ? joined.toReversed() : joined).flat()));
  }
}
