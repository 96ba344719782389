import { DAY_MS } from '@crosstape/core';

/** Options expire at 08:00 UTC. */
export const EXPIRY_TIME_MS = 8 * 3_600_000;
const FRIDAY = 5;

export type Tenor = 'day' | 'week' | 'month' | 'quarter';

/** How many days before its expiry an option is listed. */
const LISTED_DAYS: Readonly<Record<Tenor, number>> = { day: 4, week: 28, month: 92, quarter: 365 };

export interface Expiry {
  readonly expiryMs: number;
  readonly listedMs: number;
  readonly tenor: Tenor;
}

/** The listed expiries at a time, the next one first. A due one is removed. */
export function expiriesAt(atMs: number): readonly Expiry[] {
  const expiries: Expiry[] = [];
  const today = Math.floor((atMs - EXPIRY_TIME_MS) / DAY_MS);
  for (let day = today + 1; day <= today + 1 + LISTED_DAYS.quarter; day += 1) {
    const tenor = tenorOf(new Date(day * DAY_MS));
    const expiryMs = day * DAY_MS + EXPIRY_TIME_MS;
    const listedMs = expiryMs - LISTED_DAYS[tenor] * DAY_MS;
    if (listedMs <= atMs) expiries.push({ expiryMs, listedMs, tenor });
  }
  return expiries;
}

/** Fridays are of a week, the last one of a month is of that month, and that of every third of a quarter. */
function tenorOf(date: Date): Tenor {
  if (date.getUTCDay() !== FRIDAY) return 'day';
  const isLast = new Date(date.getTime() + 7 * DAY_MS).getUTCMonth() !== date.getUTCMonth();
  if (!isLast) return 'week';
  return date.getUTCMonth() % 3 === 2 ? 'quarter' : 'month';
}
