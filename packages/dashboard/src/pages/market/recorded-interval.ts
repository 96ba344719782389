import type { QueryOf } from '@crosstape/client';

type RecordedInterval = NonNullable<QueryOf<'/orderbook/depth'>['interval']>;

const MINUTE_MS = 60_000;
const lengthsMs: Readonly<Record<RecordedInterval, number>> = {
  '1m': MINUTE_MS,
  '10m': 10 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
};
/** Recorded order books of a chart: a day of minutes. */
export const RECORDED_MAX = 1_440;

/** The finest interval at which order books since a time are few enough, and its length. */
export function recordedInterval(
  sinceMs: number,
  nowMs: number,
): { readonly interval: RecordedInterval; readonly lengthMs: number } {
  const names = Object.keys(lengthsMs) as RecordedInterval[];
  const interval = names.find((name) => nowMs - sinceMs <= RECORDED_MAX * lengthsMs[name]) ?? '1h';
  return { interval, lengthMs: lengthsMs[interval] };
}
