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
 * begins later leaves out what came before its oldest trade.
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
  const gapFor = (from: number, to: number, state: TapeGap['state']): TapeGap => ({
    coin,
    from,
    to,
    state,
    reason,
  });
  if (isDoubt && backfill.length === 0) return [gapFor(fromMs, toMs, 'partial')];
  // The oldest millisecond of a back-fill may itself be cut off in the middle.
  const wholeFromMs = Math.min(...backfill.map(({ venueTs }) => venueTs)) + 1;
  const reachesBack =
    wholeFromMs <= Math.max(tape.lastTs, fromMs) || backfill.some((trade) => tape.knows(trade));
  if (reachesBack) return [gapFor(fromMs, toMs, 'refilled')];
  if (wholeFromMs >= toMs) return [gapFor(fromMs, toMs, 'missing')];
  return [gapFor(fromMs, wholeFromMs, 'missing'), gapFor(wholeFromMs, toMs, 'refilled')];
}
