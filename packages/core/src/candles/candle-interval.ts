import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../durations.ts';

/** The epoch was a Thursday: weeks begin on Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Lengths of candles; each is a whole number of minutes, and from an hour on of hours. */
export const candleIntervalsMs = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '6h': 6 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '1w': WEEK_MS,
} as const;
export type CandleInterval = keyof typeof candleIntervalsMs;
export const candleIntervals = Object.keys(candleIntervalsMs) as [CandleInterval, ...CandleInterval[]];

/** Start of the interval that a time is in: days begin at 00:00 UTC, weeks on Monday. */
export function intervalStart(ts: number, intervalMs: number): number {
  const offset = intervalMs === WEEK_MS ? FIRST_MONDAY_MS : 0;
  return Math.floor((ts - offset) / intervalMs) * intervalMs + offset;
}
