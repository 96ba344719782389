import type { AnswerOf } from '@crosstape/client';
import { yearlyPct } from './funding-rates.ts';
import { minuteTime, type Zone } from './times.ts';

type Series = Pick<AnswerOf<'/perps/funding/history'>['data'], 'points' | 'periodHours'>;
type ByVenue<Value> = Readonly<Record<string, Value | undefined>>;

export const HOUR_MS = 3_600_000;

/** A rate in percent of a year, by time. */
export interface RatePoint {
  readonly x: number;
  readonly y: number;
}

/**
 * The rates of a venue, oldest first. A rate of the venue's own history was paid for the whole period before its time,
 * so it applies to each hour of that period without a recorded rate.
 */
export function ratesOf({ points, periodHours }: Series, venue: string): readonly RatePoint[] {
  const hours = (periodHours as ByVenue<number> | undefined)?.[venue];
  if (hours === undefined) return [];
  const rates = new Map<number, number>();
  const paid: (RatePoint & { readonly hours: number })[] = [];
  for (const { ts, byVenue, nativePeriodHours, origin } of points) {
    const rate = (byVenue as ByVenue<number>)[venue];
    if (rate === undefined) continue;
    const y = yearlyPct({ rate, periodHours: hours });
    rates.set(ts, y);
    const period = (nativePeriodHours as ByVenue<number> | undefined)?.[venue] ?? 0;
    if ((origin as ByVenue<string> | undefined)?.[venue] === 'venue') paid.push({ x: ts, y, hours: period });
  }
  for (const { x, y, hours: period } of paid)
    for (let back = 1; back < period; back += 1) {
      const at = x - back * HOUR_MS;
      if (rates.has(at)) break;
      rates.set(at, y);
    }
  return [...rates].map(([x, y]) => ({ x, y })).toSorted((a, b) => a.x - b.x);
}

/** Funding earned by the short minus that paid by the long, at the times that have both rates. */
export function spreadOf(short: readonly RatePoint[], long: readonly RatePoint[]): readonly RatePoint[] {
  const paid = new Map(long.map(({ x, y }) => [x, y]));
  return short.flatMap(({ x, y }) => {
    const other = paid.get(x);
    return other === undefined ? [] : [{ x, y: y - other }];
  });
}

/** Why venues have no line: smaller coins have no history from before the service, which records on the hour. */
export function unrecordedText(venues: readonly string[], nowMs: number, zone: Zone): string {
  const next = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;
  return `${venues.join(' and ')}: no rates recorded yet, so no spread. The next is recorded at ${minuteTime(next, zone)}.`;
}
