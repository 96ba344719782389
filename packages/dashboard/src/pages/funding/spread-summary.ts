import { HOUR_MS, type RatePoint } from '../../format/funding-history.ts';

const YEAR_HOURS = 365 * 24;
/** Fewer hours say nothing about a longer time. */
export const SUMMARY_HOURS_MIN = 24;

/** What a spread was over a time, from the hours that have the rates of both sides. */
export interface SpreadSummary {
  readonly hours: number;
  /** All hours of the time. */
  readonly ofHours: number;
  /** Absent with fewer than `SUMMARY_HOURS_MIN` hours. */
  readonly figures?: {
    readonly meanPct: number;
    /** In these hours, percent of the notional. */
    readonly earnedPct: number;
    /** Hours above zero. */
    readonly positivePct: number;
  };
}

/** Of the last full hours. A point is the spread, in percent a year, of the hour that ends at its time. */
export function spreadSummary(
  spread: readonly RatePoint[],
  { nowMs, days }: { readonly nowMs: number; readonly days: number },
): SpreadSummary {
  const ofHours = days * 24;
  const untilMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const within = spread.filter(({ x }) => x > untilMs - ofHours * HOUR_MS && x <= untilMs);
  const hours = within.length;
  if (hours < SUMMARY_HOURS_MIN) return { hours, ofHours };
  const sum = within.reduce((total, { y }) => total + y, 0);
  const positive = within.filter(({ y }) => y > 0).length;
  return {
    hours,
    ofHours,
    figures: { meanPct: sum / hours, earnedPct: sum / YEAR_HOURS, positivePct: (100 * positive) / hours },
  };
}
