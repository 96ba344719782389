/** Data that were fetched later than this after the time of a sample are not what was known then. */
const LATE_MAX_MS = 120_000;

/** The whole multiple of the cadence whose sample fetched data are; `undefined` if they came too late for one. */
export function sampleTimeOf(fetchedAtMs: number, cadenceMs: number): number | undefined {
  const t = Math.floor(fetchedAtMs / cadenceMs) * cadenceMs;
  return fetchedAtMs - t <= LATE_MAX_MS ? t : undefined;
}
