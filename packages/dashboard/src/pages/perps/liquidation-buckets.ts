import type { AnswerOf } from '@crosstape/client';

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

type RecordedHistory = AnswerOf<'/perps/liquidations/history'>['data'];

/** One bucket for each step of a recorded history, of all venues or of one. What was not recorded is partial. */
export function recordedBuckets(
  { points, venues }: Pick<RecordedHistory, 'points' | 'venues'>,
  {
    startMs,
    stepMs,
    count,
    venue,
  }: Pick<BucketRange, 'startMs' | 'stepMs' | 'count'> & { readonly venue: string },
): readonly Bucket[] {
  const byTime = new Map(points.map((point) => [point.ts, point]));
  const isInferred = venues.find((one) => one.venue === venue)?.method === 'inferred';
  return Array.from({ length: count }, (_, i): Bucket => {
    const from = startMs + i * stepMs;
    const point = byTime.get(from);
    const isPartial = point?.complete !== true;
    const all = venue === '';
    const [longUsd = 0, shortUsd = 0] = all
      ? [point?.longUsd, point?.shortUsd]
      : (point?.byVenue[venue] ?? []);
    return {
      startMs: from,
      longUsd,
      shortUsd,
      longInferredUsd: all ? (point?.inferred.longUsd ?? 0) : isInferred ? longUsd : 0,
      shortInferredUsd: all ? (point?.inferred.shortUsd ?? 0) : isInferred ? shortUsd : 0,
      isPartial,
    };
  });
}
