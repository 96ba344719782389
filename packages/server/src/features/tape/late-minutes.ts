import type { Trade } from '@crosstape/core';
import type { Gap } from './gap-ledger.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
export const LATE_REASON = 'trades arrived late and are recorded at their arrival time';

/**
 * The tape is only appended to, so a trade that comes late stands in a minute that is not its own, and its own lacks it:
 * both are gaps.
 */
export class LateMinutes {
  /** By coin: what was last reported. */
  readonly #reported = new Map<string, { readonly ownMs: number; readonly endMs: number }>();

  /** The gaps that a trade makes on the tape, unless they are those that the late trade before it made. */
  of(trade: Trade): readonly Gap[] {
    if (!isLate(trade)) return [];
    const { coin, ts, venueTs = ts } = trade;
    const ownMs = startOf(venueTs, MINUTE_MS);
    // Tape time never goes back: what is reported again of a minute is longer.
    const endMs = startOf(ts, SECOND_MS) + SECOND_MS;
    const last = this.#reported.get(coin);
    if (last?.ownMs === ownMs && last.endMs === endMs) return [];
    this.#reported.set(coin, { ownMs, endMs });
    return [...new Set([ownMs, startOf(ts, MINUTE_MS)])].map((from) => ({
      coin,
      from,
      to: Math.min(from + MINUTE_MS, endMs),
      state: 'partial',
      reason: LATE_REASON,
      late: true,
    }));
  }
}

/** Whether a trade stands in another minute than its own, or more than a second, the shortest bar, after its time. */
function isLate({ ts, venueTs = ts }: Trade): boolean {
  return ts - venueTs > SECOND_MS || (venueTs < ts && startOf(ts, MINUTE_MS) > venueTs);
}

function startOf(ts: number, intervalMs: number): number {
  return ts - (ts % intervalMs);
}
