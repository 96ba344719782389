import type { MarketTrade } from '@crosstape/core';
import { AHEAD_MAX_MS } from '../tape/coin-tape.ts';
import { FLIGHT_MS } from '../tape/flight-time.ts';

/** Since when a feed is up, and up to when nothing that it sent is missing. */
export class FeedSpan {
  /** The trades of the feed are counted. */
  readonly #isCounted: boolean;
  /** When it began; 0 before the first. */
  #fromMs = 0;
  #lastReceivedMs = 0;
  /** Newest venue time of a live trade since the feed connected. */
  #newestTs: number | undefined;
  #behindMs = 0;

  constructor(isCounted: boolean) {
    this.#isCounted = isCounted;
  }

  get fromMs(): number {
    return this.#fromMs;
  }

  get lastReceivedMs(): number {
    return this.#lastReceivedMs;
  }

  /**
   * How far our clock was behind the venue's at the first live trade since the feed connected: earlier trades have
   * times up to this much after the feed, or a market, connected by our clock.
   */
  get behindMs(): number {
    return this.#behindMs;
  }

  /** The feed connected. */
  begin(atMs: number): void {
    this.#fromMs = atMs;
    this.#lastReceivedMs = atMs;
    this.#newestTs = undefined;
  }

  /** A new set of markets starts a new span where the previous one ends; returns where. */
  beginNext(): number {
    this.#fromMs = this.completeUntilMs();
    return this.#fromMs;
  }

  /** Returns whether it is the first live trade since the feed connected. */
  receive(trades: readonly MarketTrade[], isBackfill: boolean, receivedAtMs: number): boolean {
    this.#lastReceivedMs = receivedAtMs;
    if (isBackfill || trades.length === 0) return false;
    const isFirst = this.#newestTs === undefined;
    const newestTs = trades.reduce((newest, { venueTs }) => Math.max(newest, venueTs), 0);
    this.#newestTs = Math.max(this.#newestTs ?? 0, Math.min(newestTs, receivedAtMs));
    if (isFirst) this.#behindMs = Math.max(0, Math.min(newestTs - receivedAtMs, AHEAD_MAX_MS));
    return isFirst;
  }

  /**
   * Up to when nothing sent until a time is missing, by the venue's clock: ours may be ahead of it. Trades younger than
   * the feed's lag may be in flight, and, if they are not counted, a second more.
   */
  completeUntilMs(receivedMs = this.#lastReceivedMs): number {
    return Math.max(this.#fromMs, receivedMs - this.#lagMs - (this.#isCounted ? 0 : FLIGHT_MS));
  }

  /** Since when trades may have been in flight at the last received one, counted or not. */
  get flightFromMs(): number {
    return this.#lastReceivedMs - this.#lagMs - FLIGHT_MS;
  }

  get #lagMs(): number {
    return Math.max(0, this.#lastReceivedMs - (this.#newestTs ?? this.#lastReceivedMs));
  }
}
