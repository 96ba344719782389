const HOUR_MS = 3_600_000;

/**
 * The hours that had ended when their answer was requested. One that was in progress lacks its last trades, however far
 * the replay has advanced since.
 */
export function fullHours<Hour extends { readonly ts: number }>(
  hours: readonly Hour[],
  askedMs: number,
): readonly Hour[] {
  return hours.filter(({ ts }) => ts + HOUR_MS <= askedMs);
}
