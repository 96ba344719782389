/** A liquidation, as far as sums need it. */
interface Event {
  readonly ts: number;
  readonly position: 'long' | 'short';
  readonly notionalUsd: number;
  readonly inferred: boolean;
}

/** Liquidated dollars of an hour or a day, reported and inferred. */
export interface Bucket {
  readonly startMs: number;
  readonly longUsd: number;
  readonly shortUsd: number;
  /** Parts of these that were inferred. */
  readonly longInferredUsd: number;
  readonly shortInferredUsd: number;
  /** Some of it may be missing: it has not ended, or a feed was not connected, or older events were not read. */
  readonly isPartial: boolean;
}

export interface BucketRange {
  /** Start of the first bucket. */
  readonly startMs: number;
  readonly stepMs: number;
  readonly count: number;
  /** Since when all of them are known. */
  readonly knownSinceMs: number;
  readonly nowMs: number;
}

/** Sums of events by time: one bucket for each step, empty ones included. */
export function bucketsOf(
  events: readonly Event[],
  { startMs, stepMs, count, knownSinceMs, nowMs }: BucketRange,
): readonly Bucket[] {
  const buckets = Array.from({ length: count }, (_, i) => {
    const from = startMs + i * stepMs;
    return {
      startMs: from,
      longUsd: 0,
      shortUsd: 0,
      longInferredUsd: 0,
      shortInferredUsd: 0,
      isPartial: from < knownSinceMs || from + stepMs > nowMs,
    };
  });
  for (const { ts, position, notionalUsd, inferred } of events) {
    const bucket = buckets[Math.floor((ts - startMs) / stepMs)];
    if (!bucket) continue;
    bucket[`${position}Usd`] += notionalUsd;
    if (inferred) bucket[`${position}InferredUsd`] += notionalUsd;
  }
  return buckets;
}
