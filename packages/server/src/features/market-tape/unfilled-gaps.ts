import type { Gap, GapLedger } from '../tape/gap-ledger.ts';

/** Gaps that ended within this time are requested again: trades of older ones would stand too far away on the tape. */
const RESUMED_MS = 600_000;

/** The newest gaps with numbers that did not come, by symbol. */
export async function unfilledGaps(
  ledger: GapLedger,
  symbols: Iterable<string>,
  nowMs: number,
): Promise<ReadonlyMap<string, readonly Gap[]>> {
  const found = new Map<string, readonly Gap[]>();
  for (const symbol of symbols) {
    const gaps = await ledger.gaps(symbol, nowMs - RESUMED_MS, Number.MAX_SAFE_INTEGER);
    const unfilled = gaps.filter(({ numbers = [] }) => numbers.length > 0);
    if (unfilled.length > 0) found.set(symbol, unfilled);
  }
  return found;
}
