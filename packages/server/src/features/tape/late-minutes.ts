import { MINUTE_MS, type Trade } from '@crosstape/core';
import type { Gap } from './gap-ledger.ts';

const SECOND_MS = 1_000;
export const LATE_REASON = 'trades arrived late and are recorded at their arrival time';
/** A time further ahead does not show when a trade was made. */
const EARLY_MAX_MS = 3_600_000;
const EARLY_REASON = 'trades had times ahead of the clock and are recorded at their arrival time';

interface ReportedMinutes {
  readonly ownMs: number;
  readonly tapeMs: number;
  readonly endMs: number;
}

/**
 * The tape is append-only, so a late trade is in a minute that is not its own, and its own lacks it: both are gaps. The
 * same applies to a trade far ahead of our clock, if that was set back or the venue's is wrong.
 */
export class LateMinutes {
  /** By coin: the last reported minutes. */
  readonly #reported = new Map<string, ReportedMinutes>();

  /** The gaps that a trade causes, unless the previous late trade caused the same. */
  of(trade: Trade): readonly Gap[] {
    if (!isDisplaced(trade)) return [];
    const { coin, ts, venueTs = ts } = trade;
    const isEarly = venueTs > ts;
    const tapeMs = startOf(ts, MINUTE_MS);
    const ownMs = venueTs > ts + EARLY_MAX_MS ? tapeMs : startOf(venueTs, MINUTE_MS);
    // A repeated report of a minute is never shorter: tape time never goes back, but the venue's may.
    const endMs = isEarly ? ownMs + MINUTE_MS : startOf(ts, SECOND_MS) + SECOND_MS;
    const last = this.#reported.get(coin);
    if (last?.ownMs === ownMs && last.tapeMs === tapeMs && last.endMs === endMs) return [];
    this.#reported.set(coin, { ownMs, tapeMs, endMs });
    return [...new Set([ownMs, tapeMs])].map((from) => ({
      coin,
      from,
      to: Math.min(from + MINUTE_MS, endMs),
      state: 'partial',
      reason: isEarly ? EARLY_REASON : LATE_REASON,
      late: true,
    }));
  }
}

/** Whether a trade is in another minute than its own, or more than a second, the shortest bar, from its time. */
function isDisplaced({ ts, venueTs = ts }: Trade): boolean {
  if (ts === venueTs) return false;
  return Math.abs(ts - venueTs) > SECOND_MS || startOf(ts, MINUTE_MS) !== startOf(venueTs, MINUTE_MS);
}

function startOf(ts: number, intervalMs: number): number {
  return ts - (ts % intervalMs);
}
