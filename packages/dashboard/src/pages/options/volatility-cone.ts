const DAYS_A_YEAR = 365;
/** Periods of the cone in days. */
export const conePeriods = [7, 14, 30, 60, 90] as const;

/** Realised volatility over one period, in percent a year. */
export interface ConePoint {
  readonly days: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
  /** Volatility of the newest period. */
  readonly current: number;
}

/**
 * Realised volatility of daily closes over every period of each length: the lowest, the median and the highest that
 * the days contain. Lengths with fewer than two periods are left out.
 */
export function coneOf(closes: readonly number[]): readonly ConePoint[] {
  return conePeriods.flatMap((days): ConePoint[] => {
    const found = Array.from({ length: Math.max(0, closes.length - days) }, (_, i) =>
      realisedVolatility(closes.slice(i, i + days + 1)),
    );
    const current = found.at(-1);
    if (current === undefined || found.length < 2) return [];
    const sorted = found.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] as number;
    return [{ days, low: at(0), median: at(0.5), high: at(1), current }];
  });
}

/** Of daily closes, around a mean of zero, as is usual for days. In percent a year. */
export function realisedVolatility(closes: readonly number[]): number {
  const returns = closes.slice(1).map((close, i) => Math.log(close / (closes[i] as number)));
  const variance = returns.reduce((sum, one) => sum + one * one, 0) / returns.length;
  return Math.sqrt(variance * DAYS_A_YEAR) * 100;
}
