/** No data are fresh at this age. Limits the effect of a wrong header. */
const AGE_MAX_MS = 7 * 86_400_000;
/** Whole seconds; of several values the first counts (RFC 9111, section 5.1). */
const SECONDS = /^\s*(\d+)\s*(?:,|$)/;

/**
 * How long an HTTP cache has held an answer, by its `Age` header; 0 if it is absent or malformed. `Date` is not used:
 * it would add the difference between the cache's clock and ours.
 */
export function answerAgeMs(age: string | null | undefined): number {
  const seconds = SECONDS.exec(age ?? '')?.[1];
  return seconds === undefined ? 0 : Math.min(Number(seconds) * 1_000, AGE_MAX_MS);
}
