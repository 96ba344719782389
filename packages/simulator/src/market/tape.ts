import type { Side } from '@crosstape/core';

/** A trade of a market with its place in the market's tape. */
export interface TapeDeal {
  /** Counts the trades of the market without gaps. */
  readonly number: number;
  readonly ts: number;
  /** The taker's. */
  readonly side: Side;
  /** In the units of the market that made the tape, as is the size. */
  readonly price: number;
  readonly size: number;
  /** The number of the first fill of the taker's order. */
  readonly order: number;
  readonly isLiquidation: boolean;
}

/** Trading in a span, without making its trades. */
export interface Outline {
  /** About as many as there were. */
  readonly trades: number;
  /** A few that represent all of them: at the prices of the time, with the same total size. None without a trade. */
  readonly deals: readonly TapeDeal[];
}

/** All trades of one market, a pure function of seed and time. */
export interface Tape {
  /** The number of the first trade with `ts >= atMs`, which is also the number of earlier trades. */
  nextAt(atMs: number): number;
  /** The trades with `from <= number < to`, oldest first. */
  read(from: number, to: number): readonly TapeDeal[];
  /** Of `fromMs <= ts < toMs`: for times whose trades are no longer served. */
  outline(fromMs: number, toMs: number): Outline;
}
