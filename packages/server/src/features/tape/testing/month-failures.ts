import type { MonthReport } from './simulated-month.ts';

/** Growth of the last measurement over the median of the earlier ones, as a factor and in MB. */
const HEAP_GROWTH_MAX = 1.2;
const HEAP_NOISE_MB = 8;
const STORE_GROWTH_MAX = 1.5;
const STORE_NOISE_MB = 4;
const DESCRIPTORS_NOISE = 2;
/** A tape that reports everything as a gap is no tape. */
const GAP_SHARE_MAX = 0.6;

/** The failures of a simulated month. */
export function monthFailures({ checks, unexplained, outdated }: MonthReport): readonly string[] {
  const failures: string[] = [];
  for (const { fromMs, unreported, doubled } of checks) {
    const from = new Date(fromMs).toISOString();
    for (const trade of unreported) failures.push(`from ${from}: ${trade} is neither recorded nor in a gap`);
    for (const trade of doubled) failures.push(`from ${from}: ${trade} is recorded twice`);
  }
  const gapShare = checks.reduce((sum, check) => sum + check.gapShare, 0) / checks.length;
  if (!(gapShare <= GAP_SHARE_MAX)) failures.push(`${Math.round(100 * gapShare)} % is reported as gaps`);
  for (const line of unexplained) failures.push(`no fault explains the log line: ${line}`);
  if (outdated > 0) failures.push(`${outdated} chunks are older than the retention`);
  const grows = (name: 'heapMb' | 'storeMb' | 'descriptors', factor: number, noise: number): void => {
    // The first half fills caches, and the store up to its retention.
    const values = checks.slice(checks.length >> 1).map((check) => check[name]);
    const before = values.slice(0, -1).toSorted((a, b) => a - b);
    const median = before[before.length >> 1];
    const last = values.at(-1) ?? 0;
    if (median !== undefined && last > factor * median + noise)
      failures.push(`${name} grows: ${last.toFixed(1)} at the end, ${median.toFixed(1)} before`);
  };
  grows('heapMb', HEAP_GROWTH_MAX, HEAP_NOISE_MB);
  grows('storeMb', STORE_GROWTH_MAX, STORE_NOISE_MB);
  grows('descriptors', 1, DESCRIPTORS_NOISE);
  return failures;
}
