/** The headers of an answer that an HTTP cache has held since `madeAtMs`; an uncached one has no `Age`. */
export function cacheHeaders(
  nowMs: number,
  madeAtMs: number,
  maxAgeS: number,
): Readonly<Record<string, string>> {
  const ageS = Math.floor((nowMs - madeAtMs) / 1_000);
  return {
    'cache-control': `public, max-age=${maxAgeS}`,
    ...(ageS > 0 && { age: String(ageS) }),
  };
}
