import type { Sample } from './indicator.ts';

/** Samples, and those of others that are newer than the last of them. */
export function goneOn(samples: readonly Sample[], others: readonly Sample[]): readonly Sample[] {
  const lastTs = samples.at(-1)?.ts ?? 0;
  return [...samples, ...others.filter(({ ts }) => ts > lastTs)];
}

interface FundingPast {
  readonly points: readonly { readonly ts: number; readonly byVenue: Readonly<Record<string, number>> }[];
  /** Hours that a rate is for, by venue; default: one. */
  readonly periodHours?: Readonly<Record<string, number>>;
}

/** Recorded rates of a venue, in percent per hour. */
export function fundingSamples({ points, periodHours }: FundingPast, venue: string): readonly Sample[] {
  const hours = periodHours?.[venue] ?? 1;
  return points.flatMap(({ ts, byVenue }) => {
    const rate = byVenue[venue];
    return rate === undefined ? [] : [{ ts, value: (rate / hours) * 100 }];
  });
}

const HOUR_MS = 3_600_000;
const PART_MS = 30 * 24 * HOUR_MS;

/**
 * From when samples of every hour are requested for bars that begin at a time: with the previous one, and from a whole
 * multiple of 30 days, so that older bars rarely need another request.
 */
export function samplesSinceMs(firstTs: number): number {
  return Math.max(0, Math.floor((firstTs - HOUR_MS) / PART_MS) * PART_MS);
}
