import type { Trade } from '@crosstape/core';
import type { Gap } from './gap-ledger.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
export const LATE_REASON = 'trades arrived late and are recorded at their arrival time';
/** A time further ahead than this says nothing about when a trade was made. */
const EARLY_MAX_MS = 3_600_000;
const EARLY_REASON = 'trades had times ahead of the clock and are recorded at their arrival time';

interface ReportedMinutes {
  readonly ownMs: number;
  readonly tapeMs: number;
  readonly endMs: number;
}

/**
 * The tape is only appended to, so a trade that comes late stands in a minute that is not its own, and its own lacks it:
 * both are gaps. So does one whose time is far ahead of our clock, where that one was set back or the venue's is wrong.
 */
export class LateMinutes {
  /** By coin: what was last reported. */
  readonly #reported = new Map<string, ReportedMinutes>();

  /** The gaps that a trade makes on the tape, unless they are those that the late trade before it made. */
  of(trade: Trade): readonly Gap[] {
    if (!isDisplaced(trade)) return [];
    const { coin, ts, venueTs = ts } = trade;
    const isEarly = venueTs > ts;
    const tapeMs = startOf(ts, MINUTE_MS);
    const ownMs = venueTs > ts + EARLY_MAX_MS ? tapeMs : startOf(venueTs, MINUTE_MS);
    // What is reported again of a minute is not shorter: tape time never goes back, but the venue's may.
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

/** Whether a trade stands in another minute than its own, or more than a second, the shortest bar, from its time. */
function isDisplaced({ ts, venueTs = ts }: Trade): boolean {
  if (ts === venueTs) return false;
  return Math.abs(ts - venueTs) > SECOND_MS || startOf(ts, MINUTE_MS) !== startOf(venueTs, MINUTE_MS);
}

function startOf(ts: number, intervalMs: number): number {
  return ts - (ts % intervalMs);
}
