import type { IncomingHttpHeaders } from 'node:http';
import type { VenueMarket, VenueShape } from '../market/venue-market.ts';
import type { BookFollowing } from './order-book.ts';
import type { TradeMarket, WireDeal } from './trade-ledger.ts';
import type { TradePages } from './trade-pages.ts';
import type { Handshake, VenueAnswer } from './venue-simulator.ts';

/** A request as a route sees it. */
export interface Question {
  readonly market: VenueMarket;
  /** The venue's clock: skewed while that fault is on. */
  readonly nowMs: number;
  /** Factor of the last complete day, while that fault is on. */
  readonly surgeTimes?: number | undefined;
  readonly method: string;
  readonly path: string;
  /** Values of `:name` in the route's path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** The trades of the venue's markets, as far as they are known to this answer. */
  readonly trades: TradePages;
}

export interface WireRoute {
  readonly method?: 'GET' | 'POST';
  /** `/v4/trades/perpetualMarket/:market` */
  readonly path: string;
  /** Cost by name of the limit; unnamed limits are not charged. Absent: 1 of each. */
  readonly costs?: (question: Question) => Readonly<Record<string, number>>;
  /** An answer, or a value that is sent as JSON with status 200. */
  answer(question: Question): VenueAnswer | Reply | Promise<VenueAnswer | Reply>;
}

/** A body to be sent as JSON. */
export class Reply {
  readonly body: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}

/** A published limit over a stretch of time, per IP: every caller of the simulator is one. */
export interface WireLimit {
  readonly name: string;
  readonly spanMs: number;
  readonly max: number;
}

/** One client's socket. */
export interface Session extends Handshake {
  readonly market: VenueMarket;
  /** The client's subscriptions; the venue names the topics. Counted against the limit. */
  readonly topics: Set<string>;
  /** Sends a client the trades of a market from now on, and before that those of the past that it gets at first. */
  follow(topic: string, following: Following): void;
  /** Sends a client the book of a market, at once and as it changes. */
  followBook(topic: string, following: BookFollowing): void;
  leave(topic: string): void;
  /** Further state of a client. */
  readonly memory: Map<string, unknown>;
  nowMs(): number;
  /** How far the venue's clock is off while that fault is on. Added to times of the market, which have no other source. */
  skewMs(): number;
  send(frame: string): void;
  close(code: number, reason: string): void;
  /** Counts a broken limit. */
  violate(limit: string): void;
}

/** Frames of a subscription to trades. */
export interface Following {
  readonly market: TradeMarket;
  readonly print: PrintTrades;
  /** The trades that the venue sends as one, which faults strike together; each alone when absent. */
  readonly join?: (deals: readonly WireDeal[]) => readonly (readonly WireDeal[])[];
  /** The newest trades before the subscription, oldest first. */
  readonly snapshot?: { readonly count: number; readonly print: PrintTrades };
}

/** Trades, oldest first, as frames. */
export type PrintTrades = (deals: readonly WireDeal[]) => readonly TradeFrame[];

/** A frame, and the trades that it carries. */
export interface TradeFrame {
  readonly text: string;
  readonly deals: readonly WireDeal[];
}

export interface WireSocket {
  /** `/ws/v5/public`; a trailing `*` matches any suffix. */
  readonly path: string;
  readonly socketsMax: number;
  readonly socketsPerMinute: number;
  /** Messages a minute that one client may send; beyond it `tooMany` is called, or the client is cut off. */
  readonly messagesPerMinute: number;
  tooMany?(session: Session): void;
  /** A client without a message for this long is cut off. */
  readonly silentMaxMs?: number;
  greet?(session: Session): void;
  receive(text: string, session: Session): void;
  /** How often it pushes. */
  readonly everyMs: number;
  /** Pushes events with `fromMs <= ts < toMs` that concern the client. */
  push(session: Session, fromMs: number, toMs: number): void;
  /** How often it sends the trades that clients follow; default: every 100 ms. */
  readonly tradesEveryMs?: number;
}

/** A venue's whole wire: a plain value. */
export interface Wire {
  readonly shape: VenueShape;
  readonly routes: readonly WireRoute[];
  readonly limits: readonly WireLimit[];
  /** The message for a caller over a limit. */
  overLimit(limit: string): VenueAnswer;
  readonly notFound: VenueAnswer;
  readonly sockets: readonly WireSocket[];
}
