import type { VenueTrade } from '@crosstape/core';

/** Back-fills of all topics arrive within this time after the first. */
const BACKFILLS_MS = 5_000;

interface OpenCheck {
  readonly silentMs: number;
  /** Venue time of the newest trade before the silence. */
  readonly newestTs: number;
  firstBackfillMs: number | undefined;
}

export interface StallCheckOptions {
  /** The venue traded nothing in a silence that was taken for a stall. */
  readonly onQuiet: (silentMs: number) => void;
}

/**
 * Distinguishes a market without trades from a socket that lost them, by the back-fills of the next connection. Trades
 * from within the silence prove a stall. Back-fills that reach back before it and have none prove a quiet market.
 * Without such a back-fill nothing is proven.
 */
export class StallCheck {
  readonly #options: StallCheckOptions;
  #newestTs = 0;
  #open: OpenCheck | undefined;

  constructor(options: StallCheckOptions) {
    this.#options = options;
  }

  stalled(silentMs: number, nowMs: number): void {
    if (this.#open) this.#conclude(this.#open, nowMs);
    this.#open = { silentMs, newestTs: this.#newestTs, firstBackfillMs: undefined };
  }

  receive(trades: readonly VenueTrade[], isBackfill: boolean, nowMs: number): void {
    if (this.#open) this.#check(this.#open, trades, isBackfill, nowMs);
    for (const { venueTs } of trades) this.#newestTs = Math.max(this.#newestTs, venueTs);
  }

  #check(open: OpenCheck, trades: readonly VenueTrade[], isBackfill: boolean, nowMs: number): void {
    this.#conclude(open, nowMs);
    if (!isBackfill || !this.#open) return;
    const { newestTs, silentMs } = open;
    const isLost = trades.some(({ venueTs }) => venueTs > newestTs && venueTs <= newestTs + silentMs);
    const reachesBack = trades.some(({ venueTs }) => venueTs <= newestTs);
    if (isLost || !reachesBack) this.#open = undefined;
    else open.firstBackfillMs ??= nowMs;
  }

  #conclude({ firstBackfillMs, silentMs }: OpenCheck, nowMs: number): void {
    if (firstBackfillMs === undefined || nowMs - firstBackfillMs < BACKFILLS_MS) return;
    this.#open = undefined;
    this.#options.onQuiet(silentMs);
  }
}
