import { realisedVolatility } from './volatility-cone.ts';

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365;
/** The usual period of volatility. */
const PERIOD_DAYS = 30;
/** A rank of fewer days says nothing. */
export const RANK_DAYS_MIN = 7;

/** A volatility in percent a year at a time, as a chart takes it. */
export interface VolatilityPoint {
  readonly x: number;
  readonly y: number;
}

/** The 30-day implied volatility of recorded samples. Samples without one are left out. */
export function impliedLine(
  samples: readonly { readonly t: number; readonly atmIv30?: number }[],
): readonly VolatilityPoint[] {
  return samples.flatMap(({ t, atmIv30 }) => (atmIv30 === undefined ? [] : [{ x: t, y: atmIv30 * 100 }]));
}

/** A day of a volatility index. */
interface IndexDay {
  readonly t: number;
  readonly close: number;
}

/** The close of each day at its end; the newest, still in progress, when it was fetched. */
export function indexLine(days: readonly IndexDay[], fetchedAt: number): readonly VolatilityPoint[] {
  return days.map(({ t, close }) => ({ x: Math.min(t + DAY_MS, fetchedAt), y: close * 100 }));
}

/** The value that is ranked, and its rank. */
export interface RankedVolatility {
  readonly name: 'DVOL' | 'Implied';
  /** Absent without a value. */
  readonly now?: number;
  readonly rank?: VolatilityRank;
}

/** The venue's index, known for a year, or else the recorded volatility, which may be for days. */
export function rankedVolatility(
  indexDays: readonly IndexDay[],
  implied: readonly VolatilityPoint[],
): RankedVolatility {
  const index = indexRank(indexDays);
  const last = indexDays.at(-1);
  if (index && last) return { name: 'DVOL', now: last.close * 100, rank: index };
  const [now, rank] = [implied.at(-1)?.y, rankOf(implied)];
  return { name: 'Implied', ...(now !== undefined && { now }), ...(rank && { rank }) };
}

/** Of the last year. */
export function indexRank(days: readonly IndexDay[]): VolatilityRank | undefined {
  return rankOf(days.slice(-YEAR_DAYS).map(({ t, close }) => ({ x: t, y: close * 100 })));
}

/** The newest value of a line among its days. */
export interface VolatilityRank {
  /** UTC days with a value, including the present one. */
  readonly days: number;
  readonly low: number;
  readonly high: number;
  /** 0 at the lowest day, 100 at the highest; absent with fewer than `RANK_DAYS_MIN` days, or if all are equal. */
  readonly rank?: number;
  /** Share of the other days that were lower, in percent; absent with fewer than `RANK_DAYS_MIN` days. */
  readonly percentile?: number;
}

/** A day counts with its last value. */
export function rankOf(line: readonly VolatilityPoint[]): VolatilityRank | undefined {
  const byDay = new Map(line.map(({ x, y }) => [Math.floor(x / DAY_MS), y]));
  const values = [...byDay.values()];
  const current = values.at(-1);
  if (current === undefined) return undefined;
  const [low, high, days] = [Math.min(...values), Math.max(...values), values.length];
  if (days < RANK_DAYS_MIN) return { days, low, high };
  return {
    days,
    low,
    high,
    ...(high > low && { rank: ((current - low) / (high - low)) * 100 }),
    percentile: (values.filter((one) => one < current).length / (days - 1)) * 100,
  };
}

/** Realised volatility of the 30 days before the end of each full day, by that end. */
export function realisedByDay(
  fullDays: readonly { readonly ts: number; readonly close: number }[],
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const [i, { ts }] of fullDays.entries()) {
    const first = fullDays[i - PERIOD_DAYS];
    // A day without a candle is missing: the period would be longer.
    if (first?.ts !== ts - PERIOD_DAYS * DAY_MS) continue;
    const closes = fullDays.slice(i - PERIOD_DAYS, i + 1).map(({ close }) => close);
    found.set(ts + DAY_MS, realisedVolatility(closes));
  }
  return found;
}

/** Realised volatility at the times of another line: of the newest full day then. */
export function realisedLine(
  byDay: ReadonlyMap<number, number>,
  line: readonly VolatilityPoint[],
): readonly VolatilityPoint[] {
  return line.flatMap(({ x }) => {
    const endMs = Math.floor(x / DAY_MS) * DAY_MS;
    // Candles are requested every hour: after midnight the day before may not have arrived.
    const y = byDay.get(endMs) ?? byDay.get(endMs - DAY_MS);
    return y === undefined ? [] : [{ x, y }];
  });
}
