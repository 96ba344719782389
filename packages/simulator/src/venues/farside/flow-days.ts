import { DAY_MS, hash32, hashText, HOUR_MS } from '@crosstape/core';
import { gaussOf, uniformOf } from '../../market/noise.ts';
import type { Fund, FundTable } from './funds.ts';

/** The row of a day exists from the opening of the exchange. */
const OPENING_MS = 14.5 * HOUR_MS;
/** Figures are published between these times of the day, counted from its midnight. */
const REPORT_FROM_MS = 22 * HOUR_MS;
const REPORT_SPAN_MS = 8 * HOUR_MS;
/** How often a small fund has no flow at all. */
const ZERO_CHANCE = 0.5;
const SMALL_USDM = 15;

/** A row of the page. */
export interface FlowDay {
  readonly dayMs: number;
  /** Tenths of millions of dollars, in the order of the funds; absent while not reported. */
  readonly tenths: readonly (number | undefined)[];
}

export interface FlowDaysOptions {
  readonly seed: number;
  readonly table: FundTable;
  readonly funds: readonly Fund[];
  readonly nowMs: number;
}

/** Every row that the page has by now: trading days, and some of the holidays. A pure function of seed and time. */
export function flowDays({ seed, table, funds, nowMs }: FlowDaysOptions): readonly FlowDay[] {
  const days: FlowDay[] = [];
  for (let dayMs = table.launchMs; dayMs + OPENING_MS <= nowMs; dayMs += DAY_MS) {
    const weekday = new Date(dayMs).getUTCDay();
    if (weekday === 0 || weekday === 6) continue;
    if (!isHoliday(dayMs))
      days.push({ dayMs, tenths: funds.map((fund) => reported(seed, fund, dayMs, nowMs)) });
    // The page has a row of dashes for some holidays, and none for others.
    else if (hash32(seed, dayMs) % 2 === 0) days.push({ dayMs, tenths: funds.map(() => undefined) });
  }
  return days;
}

function reported(seed: number, fund: Fund, dayMs: number, nowMs: number): number | undefined {
  if (dayMs < fund.sinceMs) return undefined;
  const salt = hash32(seed, hashText(fund.ticker), dayMs);
  const turn = fund.isLate ? 0.5 + uniformOf(salt) / 2 : uniformOf(salt) * 0.8;
  if (nowMs < dayMs + REPORT_FROM_MS + turn * REPORT_SPAN_MS) return undefined;
  if (fund.usdm < SMALL_USDM && uniformOf(hash32(salt, 1)) < ZERO_CHANCE) return 0;
  const mood = gaussOf(hash32(seed, dayMs, 2));
  const own = gaussOf(hash32(salt, 3));
  const tenths = Math.round(10 * (fund.driftUsdm + fund.usdm * (0.7 * mood + 0.7 * own)));
  // A zero has no sign.
  return tenths === 0 ? 0 : tenths;
}

/** Exchange holidays on fixed dates, and Thanksgiving. */
function isHoliday(dayMs: number): boolean {
  const date = new Date(dayMs);
  const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()];
  if (month === 11 && date.getUTCDay() === 4 && day >= 22 && day <= 28) return true;
  return ['1-1', '6-19', '7-4', '12-25'].includes(`${month}-${day}`);
}
