const HOUR_MS = 3_600_000;

/**
 * The hours that were over when the answer with them was requested. One that was in progress then stays without its last
 * trades, however far the replay has come since.
 */
export function fullHours<Hour extends { readonly ts: number }>(
  hours: readonly Hour[],
  askedMs: number,
): readonly Hour[] {
  return hours.filter(({ ts }) => ts + HOUR_MS <= askedMs);
}
