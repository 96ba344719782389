import type { Gap, GapLedger } from '../tape/gap-ledger.ts';
import { REQUESTED_MS } from './past-in-parts.ts';

/** Gaps with missing numbers that are still requested, by symbol. */
export async function unfilledGaps(
  ledger: GapLedger,
  symbols: Iterable<string>,
  nowMs: number,
): Promise<ReadonlyMap<string, readonly Gap[]>> {
  const found = new Map<string, readonly Gap[]>();
  for (const symbol of symbols) {
    const gaps = await ledger.gaps(symbol, nowMs - REQUESTED_MS, Number.MAX_SAFE_INTEGER);
    const unfilled = gaps.filter(({ numbers = [] }) => numbers.length > 0);
    if (unfilled.length > 0) found.set(symbol, unfilled);
  }
  return found;
}
