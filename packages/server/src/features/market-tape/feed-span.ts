import type { MarketTrade } from '@crosstape/core';
import { FLIGHT_MS } from '../tape/flight-time.ts';

/** Since when a feed is up, and up to when nothing is missing that it sent. */
export class FeedSpan {
  /** The trades of the feed are counted. */
  readonly #isCounted: boolean;
  /** When it began; 0 before the first. */
  #fromMs = 0;
  #lastReceivedMs = 0;
  /** Newest venue time of a live trade since the feed came up, where trades are not counted. */
  #newestTs: number | undefined;

  constructor(isCounted: boolean) {
    this.#isCounted = isCounted;
  }

  get fromMs(): number {
    return this.#fromMs;
  }

  get lastReceivedMs(): number {
    return this.#lastReceivedMs;
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

  receive(trades: readonly MarketTrade[], isBackfill: boolean, receivedAtMs: number): void {
    this.#lastReceivedMs = receivedAtMs;
    if (isBackfill || this.#isCounted) return;
    for (const { venueTs } of trades)
      this.#newestTs = Math.max(this.#newestTs ?? 0, Math.min(venueTs, receivedAtMs));
  }

  /**
   * Up to when nothing is missing that was sent until a time. Where trades are not counted, those that are younger than
   * the feed's lag and a second may have been under way.
   */
  sureMs(receivedMs = this.#lastReceivedMs): number {
    const lagMs = Math.max(0, this.#lastReceivedMs - (this.#newestTs ?? this.#lastReceivedMs));
    return Math.max(this.#fromMs, this.#isCounted ? receivedMs : receivedMs - FLIGHT_MS - lagMs);
  }
}
