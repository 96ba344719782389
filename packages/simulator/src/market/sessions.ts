const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How busy each hour of the day (UTC) is: Asia's morning, Europe's, and the peak when New York opens. */
const HOURS = [
  1.02, 1.0, 0.92, 0.84, 0.76, 0.7, 0.74, 0.86, 0.96, 0.98, 0.92, 0.9, 1.04, 1.38, 1.62, 1.5, 1.32, 1.18,
  1.08, 1.04, 1.0, 0.94, 0.88, 0.94,
] as const;

/** From Thursday, the first of January 1970. */
const WEEKDAYS = [1.12, 1.1, 0.68, 0.74, 1.06, 1.14, 1.14] as const;

/** Activity of the moment against that of an average one. */
export function session(atMs: number): number {
  const x = (atMs % DAY_MS) / HOUR_MS;
  const hour = Math.floor(x);
  const from = HOURS[hour] ?? 1;
  const to = HOURS[(hour + 1) % 24] ?? 1;
  return (from + (to - from) * (x - hour)) * (WEEKDAYS[Math.floor(atMs / DAY_MS) % 7] ?? 1);
}
