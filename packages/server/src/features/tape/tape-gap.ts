import type { VenueTrade } from '@crosstape/core';
import type { CoinTape } from './coin-tape.ts';

/** A gap of one coin: a time without a connected or readable socket. Half open, in ms. */
export interface TapeGap {
  readonly coin: string;
  readonly from: number;
  readonly to: number;
  readonly state: 'refilled' | 'partial' | 'missing';
  readonly reason: string;
}

/**
 * What a coin lacks after an outage. A back-fill that holds a trade from before the outage leaves nothing out. One that
 * begins later leaves out what came before its oldest trade. Neither proves more than the time up to its newest trade,
 * as it may be much older than its arrival: the rest is partial until a live trade follows.
 */
export function gapsOf({
  coin,
  fromMs,
  reason,
  isDoubt = false,
  tape,
  backfill,
  nowMs,
}: {
  readonly coin: string;
  /** When the outage began. */
  readonly fromMs: number;
  readonly reason: string;
  /** The sockets were up but silent: until a back-fill arrives, it is not known whether anything is missing. */
  readonly isDoubt?: boolean;
  readonly tape: Pick<CoinTape, 'lastTs' | 'knows'>;
  readonly backfill: readonly VenueTrade[];
  readonly nowMs: number;
}): readonly TapeGap[] {
  const toMs = Math.max(nowMs, fromMs + 1);
  const gapFor = (from: number, to: number, state: TapeGap['state']): readonly TapeGap[] =>
    from < to ? [{ coin, from, to, state, reason }] : [];
  if (isDoubt && backfill.length === 0) return gapFor(fromMs, toMs, 'partial');
  // The oldest millisecond of a back-fill may itself be cut off in the middle.
  const wholeFromMs = Math.min(...backfill.map(({ venueTs }) => venueTs)) + 1;
  const reachesBack =
    wholeFromMs <= Math.max(tape.lastTs, fromMs) || backfill.some((trade) => tape.knows(trade));
  const refilledFromMs = reachesBack ? fromMs : Math.min(wholeFromMs, toMs);
  const refilledToMs = Math.min(toMs, Math.max(refilledFromMs, newestOf(backfill) + 1));
  return [
    ...gapFor(fromMs, refilledFromMs, 'missing'),
    ...gapFor(refilledFromMs, refilledToMs, 'refilled'),
    ...gapFor(refilledToMs, toMs, 'partial'),
  ];
}

/** Venue time of the newest trade; zero without any. */
export function newestOf(trades: readonly VenueTrade[]): number {
  return trades.reduce((newest, { venueTs }) => Math.max(newest, venueTs), 0);
}
