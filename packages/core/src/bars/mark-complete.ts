import type { Bar, BarColumns } from './bar-columns.ts';

/** An interval with possibly missing trades, both ends included. */
export interface TapeGap {
  readonly from: number;
  readonly to: number;
}

/**
 * Sets `complete` of every closed bar, and returns the open one with its own: false where a gap meets the time from the
 * previous bar's close to this one's. The very first bar has only its own time.
 */
export function markComplete(bars: BarColumns, open: Bar | null, gaps: readonly TapeGap[]): Bar | null {
  if (gaps.length === 0) {
    bars.complete.fill(1, 0, bars.length);
    return open && { ...open, complete: true };
  }
  const sorted = gaps.toSorted((a, b) => a.from - b.from);
  let next = 0;
  // Times never go back, so a gap that lies behind is never checked again.
  const isComplete = (fromTs: number, toTs: number): boolean => {
    while (next < sorted.length && sorted[next]!.to < fromTs) next += 1;
    const gap = sorted[next];
    return gap === undefined || gap.from > toTs;
  };
  let previousCloseTs = bars.previousCloseTs;
  for (let i = 0; i < bars.length; i += 1) {
    const closeTs = bars.closeTs[i]!;
    bars.complete[i] = isComplete(previousCloseTs ?? bars.openTs[i]!, closeTs) ? 1 : 0;
    previousCloseTs = closeTs;
  }
  if (!open) return null;
  return { ...open, complete: isComplete(previousCloseTs ?? open.openTs, open.closeTs) };
}
