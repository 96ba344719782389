import type { VenueTrade } from '@crosstape/core';
import { AHEAD_MAX_MS, type CoinTape } from './coin-tape.ts';
import { coverageOf } from './coverage.ts';
import type { Span } from './gap-ledger.ts';

/** A gap of one coin: a time without a connected or readable socket. Half open, in ms. */
export interface TapeGap {
  readonly coin: string;
  readonly from: number;
  readonly to: number;
  readonly state: 'refilled' | 'partial' | 'missing';
  readonly reason: string;
}

/** A time without a connected socket, or with silent ones. */
export interface Outage {
  /** The last confirmed message before it, not the time of detection. */
  readonly fromMs: number;
  readonly reason: string;
  /** The sockets were up but silent: until a back-fill arrives, losses are unknown. */
  readonly isSuspected?: boolean;
  /** Coins for which it begins earlier. */
  readonly earlierMs?: ReadonlyMap<string, number>;
}

/** A trade that waits, and when it was received. */
export interface ReceivedTrade extends VenueTrade {
  readonly receivedAtMs: number;
}

/** The gap of a coin until a socket delivers it. */
export interface Missed extends Outage {
  /** Since when a socket may deliver it. */
  readonly waitingSinceMs: number;
  /** Trades received other than by a back-fill. */
  readonly held: ReceivedTrade[];
}

/**
 * The gaps of a coin after an outage. A back-fill with a trade from before the outage leaves nothing out. One that
 * begins later leaves out what came before its oldest trade. Neither proves more than the time up to its newest trade,
 * which may be much older than its arrival: the rest is partial until a live trade follows.
 */
export function gapsOf({
  coin,
  fromMs,
  reason,
  isSuspected = false,
  tape,
  backfill,
  nowMs,
}: Outage & {
  readonly coin: string;
  readonly tape: Pick<CoinTape, 'lastTs' | 'knows'>;
  readonly backfill: readonly VenueTrade[];
  readonly nowMs: number;
}): readonly TapeGap[] {
  const toMs = Math.max(nowMs, fromMs + 1);
  const gapFor = (from: number, to: number, state: TapeGap['state']): readonly TapeGap[] =>
    from < to ? [{ coin, from, to, state, reason }] : [];
  if (isSuspected && backfill.length === 0) return gapFor(fromMs, toMs, 'partial');
  // The oldest millisecond of a back-fill may itself be cut off in the middle, also when it is the present one.
  const wholeFromMs = Math.min(...backfill.map(({ venueTs }) => venueTs)) + 1;
  const missingToMs = backfill.length === 0 ? toMs : Math.min(wholeFromMs, toMs + AHEAD_MAX_MS);
  const reachesBack =
    wholeFromMs <= Math.max(tape.lastTs, fromMs) || backfill.some((trade) => tape.knows(trade));
  const refilledFromMs = reachesBack ? fromMs : missingToMs;
  const refilledToMs = Math.min(toMs, Math.max(refilledFromMs, newestOf(backfill) + 1));
  return [
    ...gapFor(fromMs, refilledFromMs, 'missing'),
    ...gapFor(refilledFromMs, refilledToMs, 'refilled'),
    ...gapFor(refilledToMs, toMs, 'partial'),
  ];
}

/** A back-fill with fewer trades has everything that its coin has traded. */
const BACKFILL_TRADES = 10;

/**
 * The possible gap of a coin that was listed while the feed was up: the time before the back-fill of its subscription
 * begins.
 */
export function unsubscribedGaps(
  coin: string,
  receivingSinceMs: number,
  tape: Pick<CoinTape, 'lastTs' | 'knows'>,
  backfill: readonly VenueTrade[],
): readonly TapeGap[] {
  const from = Math.max(receivingSinceMs, tape.lastTs);
  const to = Math.min(...backfill.map(({ venueTs }) => venueTs)) + 1;
  if (backfill.length < BACKFILL_TRADES || to <= from || backfill.some((trade) => tape.knows(trade)))
    return [];
  return [{ coin, from, to, state: 'partial', reason: 'the coin was not subscribed to yet' }];
}

/** Venue time of the newest trade; zero without any. */
export function newestOf(trades: readonly VenueTrade[]): number {
  return trades.reduce((newest, { venueTs }) => Math.max(newest, venueTs), 0);
}

/** What remains of an outage once everything up to a time was read, except some intervals. */
export function caughtUpGaps(
  { fromMs, reason }: Outage,
  toMs: number,
  missing: readonly Span[],
): readonly Omit<TapeGap, 'coin'>[] {
  const span = { from: fromMs, to: toMs };
  const gaps = missing.map((gap) => ({ ...gap, state: 'missing', reason }) as const);
  return coverageOf({ ...span, spans: [span], gaps }).map(({ state, ...stretch }) => ({
    ...stretch,
    state: state === 'complete' ? 'refilled' : state,
    reason,
  }));
}
