import type { Clock } from '@crosstape/core';
import type { Bus, LatestTopic } from '../platform/bus.ts';
import type { Log } from '../platform/log.ts';
import type { Retention } from '../platform/retention.ts';
import type { Store } from '../store/store.ts';
import type { Context } from './context.ts';

/** Ten-minute samples are at multiples of this time. */
export const TEN_MINUTES_MS = 600_000;

/** Dependencies of a sample recorder. */
export interface SamplingOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly store: Store;
  readonly keptFromMs: Retention;
}

/** Description of a series of samples. */
export interface SampledSeries {
  readonly cadenceMs: number;
  readonly retention: string;
  /** Whether the record can be read. */
  readonly enabled: boolean;
  readonly fetchedAt: number;
}

/** Reads samples of every ten minutes. An unreadable record is reported, and is no error. */
export async function readSampled<Sample extends { readonly t: number }>(
  context: Context,
  read: Promise<readonly Sample[]>,
  { topic, days }: { readonly topic: LatestTopic<{ readonly t: number }>; readonly days: number },
): Promise<{ readonly samples: readonly Sample[]; readonly series: SampledSeries }> {
  // An answer is renewed when another sample has been written.
  const newest = context.latest(topic)?.t;
  const samples = await read.catch(() => undefined);
  return {
    samples: samples ?? [],
    series: {
      cadenceMs: TEN_MINUTES_MS,
      retention: `${days}d`,
      enabled: samples !== undefined,
      fetchedAt: samples?.at(-1)?.t ?? newest ?? context.resources.startedAtMs,
    },
  };
}
