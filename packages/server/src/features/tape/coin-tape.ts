import { notionalUsdOf, type Trade, type VenueTrade } from '@crosstape/core';
import { type Identified, TradeIdentities } from './trade-identities.ts';

/**
 * Identities are remembered in two alternating halves. Each spans what one socket can lag behind the other, at any
 * rate, and the back-fill that follows a subscription, however old.
 */
const HALF_MS = 60_000;
const HALF_MIN = 1_024;
/** 4,369 trades a second for a minute. */
const HALF_MAX = 262_144;

/** A venue's clock that is further ahead than this is wrong, and would drag the coin's tape into the future. */
export const AHEAD_MAX_MS = 5_000;

/**
 * The tape of one coin. A trade is identified by its venue time and `tid`, and released the first time it is seen. `ts`
 * never decreases: a late trade takes the time of the previous one, one from the future that of its arrival, and either
 * keeps its own as `venueTs`.
 */
export class CoinTape {
  readonly #venue: string;
  #recent = new TradeIdentities();
  #older = new TradeIdentities();
  /** When the recent half was begun. */
  #recentSinceMs = 0;
  #lastTs = 0;
  #lostToMs = 0;
  /** Since when all earlier released trades are known; absent if none are. */
  #knownFromTs: number | undefined;
  /** Fills of one taker order share its taker, side and time. */
  #lastTaker: string | undefined;
  #lastSide: string | undefined;
  #lastVenueTs = 0;

  constructor(venue: string) {
    this.#venue = venue;
  }

  /** Tape time of the newest trade; 0 before the first. */
  get lastTs(): number {
    return this.#lastTs;
  }

  /** Trades are missing up to a time and were reported so. */
  lose(toMs: number): void {
    this.#lostToMs = Math.max(this.#lostToMs, toMs);
  }

  /**
   * From when an outage since `fromMs` must be filled: known trades after a lost time prove nothing about it. A time in
   * the future means that the clock was set back.
   */
  missingFromMs(fromMs: number, nowMs: number): number {
    return this.#lostToMs <= nowMs ? Math.max(fromMs, this.#lostToMs) : fromMs;
  }

  /**
   * Whether a trade is known. Trades older than all that are remembered count as known: a venue repeats them all the
   * same.
   */
  knows(trade: Identified): boolean {
    const isKept = this.#knownFromTs === undefined || trade.venueTs >= this.#knownFromTs;
    return !isKept || this.#recent.has(trade) || this.#older.has(trade);
  }

  /** Remembers a trade that was released before the process began. */
  restore(trade: Trade): void {
    const venueTs = trade.venueTs ?? trade.ts;
    this.#remember({ ...trade, venueTs }, trade.ts);
    this.#knownFromTs = Math.min(this.#knownFromTs ?? trade.ts, venueTs);
    this.#lastTs = Math.max(this.#lastTs, trade.ts);
  }

  /** The trade as released on the tape; `undefined` if it was released before. */
  append(trade: VenueTrade, nowMs: number, receivedAtMs = nowMs): Trade | undefined {
    if (this.knows(trade)) return undefined;
    return this.appendUnknown(trade, trade.coin, trade.taker, nowMs, receivedAtMs);
  }

  /** As above, for a trade that is certainly not on the tape. */
  appendUnknown(
    trade: Identified,
    coin: string,
    taker: string | undefined,
    nowMs: number,
    receivedAtMs: number,
  ): Trade {
    this.#remember(trade, nowMs);
    const isAhead = trade.venueTs > nowMs + AHEAD_MAX_MS;
    const ts = Math.max(isAhead ? nowMs : trade.venueTs, this.#lastTs);
    const { side, price, size, venueTs, tid } = trade;
    // Fills whose venue time is in the future may arrive at two times: on the tape an order has one.
    const sameOrder =
      taker !== undefined &&
      ts === this.#lastTs &&
      taker === this.#lastTaker &&
      side === this.#lastSide &&
      venueTs === this.#lastVenueTs;
    this.#lastTs = ts;
    this.#lastTaker = taker;
    this.#lastSide = side;
    this.#lastVenueTs = venueTs;
    const venue = this.#venue;
    const notionalUsd = notionalUsdOf(price, size);
    const recvLagMs = receivedAtMs - ts;
    // Two literals: a spread takes several times as long, for every trade.
    return ts === venueTs
      ? { coin, venue, side, price, size, notionalUsd, ts, tid, sameOrder, recvLagMs }
      : { coin, venue, side, price, size, notionalUsd, ts, venueTs, tid, sameOrder, recvLagMs };
  }

  #remember(trade: Identified, atMs: number): void {
    const { size } = this.#recent;
    const isOver = size >= HALF_MIN && atMs - this.#recentSinceMs >= HALF_MS;
    if (size === 0 || isOver || size >= HALF_MAX) {
      if (size > 0) this.#older = this.#recent;
      this.#recent = new TradeIdentities();
      this.#recentSinceMs = atMs;
    }
    this.#recent.add(trade);
  }
}
