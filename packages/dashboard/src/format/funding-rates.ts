import type { AnswerOf } from '@crosstape/client';

type FundingSnap = AnswerOf<'/perps/funding'>['data'][number];

const HOURS_PER_YEAR = 8_760;

/** The periods of funding rates, and how to convert them. */
export const periods = ['year', '8h', '1h'] as const;
export type Period = (typeof periods)[number];
export const periodNames = { year: 'Yearly', '8h': '8 h', '1h': '1 h' } as const;
const periodHours: Readonly<Record<Period, number>> = { year: HOURS_PER_YEAR, '8h': 8, '1h': 1 };
export const periodDigits: Readonly<Record<Period, number>> = { year: 2, '8h': 4, '1h': 5 };

/** A rate in percent per year, for comparison. */
export function yearlyPct({ rate, periodHours: hours }: Pick<FundingSnap, 'rate' | 'periodHours'>): number {
  return (rate / hours) * HOURS_PER_YEAR * 100;
}

/** Percent of a year as percent of the period. */
export function perPeriod(yearly: number, period: Period): number {
  return (yearly / HOURS_PER_YEAR) * periodHours[period];
}

export interface Spread {
  readonly pct: number;
  readonly high: string;
  readonly low: string;
}

/** Between the venue with the highest and the one with the lowest rate. */
export function widest(byVenue: ReadonlyMap<string, number>): Spread | undefined {
  const sorted = [...byVenue].toSorted(([, a], [, b]) => b - a);
  const [high, low] = [sorted[0], sorted.at(-1)];
  return high && low && high !== low ? { pct: high[1] - low[1], high: high[0], low: low[0] } : undefined;
}

/** Mean by open interest over the venues that report both. */
export function weightedMean(
  rates: ReadonlyMap<string, number>,
  weights: ReadonlyMap<string, number>,
): number | undefined {
  let [sum, weight] = [0, 0];
  for (const [venue, rate] of rates) {
    const share = weights.get(venue) ?? 0;
    sum += rate * share;
    weight += share;
  }
  return weight > 0 ? sum / weight : undefined;
}

/** Figures by coin, then by venue. */
export function byCoinAndVenue<Row extends { readonly coin: string; readonly venue: string }>(
  rows: readonly Row[],
  valueOf: (row: Row) => number,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const found = new Map<string, Map<string, number>>();
  for (const row of rows) {
    const venues = found.get(row.coin) ?? new Map<string, number>();
    venues.set(row.venue, valueOf(row));
    found.set(row.coin, venues);
  }
  return found;
}
