const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Prints of all coins together that one answer has at most. */
export const WHALES_MAX = 1_000;
export const WHALE_MIN_USD = 100_000;

/** Periods that the sums may be of, the longest first. */
const periods = [
  { ms: 24 * HOUR_MS, text: '24 h' },
  { ms: 12 * HOUR_MS, text: '12 h' },
  { ms: 4 * HOUR_MS, text: '4 h' },
  { ms: HOUR_MS, text: '1 h' },
  { ms: 30 * MINUTE_MS, text: '30 m' },
  { ms: 10 * MINUTE_MS, text: '10 m' },
] as const;

export interface WhaleWindow {
  readonly sinceMs: number;
  /** `4 h`. */
  readonly text: string;
}

/**
 * The period that the newest prints cover for every coin. An answer with fewer than the most has all prints since the
 * record began; another one those since its oldest, whose time may have others.
 */
export function whaleWindow(
  prints: readonly { readonly ts: number }[],
  recordedSinceMs: number | undefined,
  nowMs: number,
): WhaleWindow {
  const oldestMs = prints.length < WHALES_MAX ? 0 : Math.min(...prints.map(({ ts }) => ts)) + 1;
  const coveredMs = Math.max(oldestMs, recordedSinceMs ?? 0);
  const period = periods.find(({ ms }) => nowMs - ms >= coveredMs);
  if (period) return { sinceMs: nowMs - period.ms, text: period.text };
  return { sinceMs: coveredMs, text: `${Math.max(1, Math.floor((nowMs - coveredMs) / MINUTE_MS))} m` };
}
