import type { MarketTrade } from '@crosstape/core';
import { AHEAD_MAX_MS } from '../tape/coin-tape.ts';
import { FLIGHT_MS } from '../tape/flight-time.ts';

/** Since when a feed is up, and up to when nothing is missing that it sent. */
export class FeedSpan {
  /** The trades of the feed are counted. */
  readonly #isCounted: boolean;
  /** When it began; 0 before the first. */
  #fromMs = 0;
  #lastReceivedMs = 0;
  /** Newest venue time of a live trade since the feed came up. */
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
   * How far our clock was behind the venue's at the first live trade since the feed came up: what was made before that
   * trade has times up to this much after the feed came up, or a market did, by our clock.
   */
  get behindMs(): number {
    return this.#behindMs;
  }

  /** The feed came up. */
  begin(atMs: number): void {
    this.#fromMs = atMs;
    this.#lastReceivedMs = atMs;
    this.#newestTs = undefined;
  }

  /** Another set of markets is another span, which begins where the one before ends; returns where. */
  beginNext(): number {
    this.#fromMs = this.sureMs();
    return this.#fromMs;
  }

  /** Returns whether it is the first live trade since the feed came up. */
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
   * Up to when nothing is missing that was sent until a time, by the venue's clock: ours may be ahead of it. Trades that
   * are younger than the feed's lag may have been under way, and, where they are not counted, than a second more.
   */
  sureMs(receivedMs = this.#lastReceivedMs): number {
    return Math.max(this.#fromMs, receivedMs - this.#lagMs - (this.#isCounted ? 0 : FLIGHT_MS));
  }

  /** Since when trades may have been under way at the last one that was received, counted or not. */
  get flightFromMs(): number {
    return this.#lastReceivedMs - this.#lagMs - FLIGHT_MS;
  }

  get #lagMs(): number {
    return Math.max(0, this.#lastReceivedMs - (this.#newestTs ?? this.#lastReceivedMs));
  }
}
