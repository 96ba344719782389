import type { Bar } from '../../live/topic.ts';
import { kindOf, parseChoice } from './indicator-choice.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** The first Monday of Unix time. */
const MONDAY_MS = 4 * DAY_MS;
/** Candles of an answer, at most. */
const CANDLES_MAX = 10_000;

export interface EarlierRequest {
  readonly interval: '1m' | '1h';
  readonly start: number;
  readonly end: number;
  readonly limit: number;
}

/** Bars before those of a chart; `undefined` while unknown. */
export type EarlierBars = readonly Bar[] | undefined;

export function dayStart(ts: number): number {
  return Math.floor(ts / DAY_MS) * DAY_MS;
}

export function weekStart(ts: number): number {
  return Math.floor((ts - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS;
}

export function monthStart(ts: number): number {
  const date = new Date(ts);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** From when an indicator sums, of a chart that begins at a time; `undefined`: it needs nothing earlier. */
function startOf(text: string, firstTs: number, anchorTs: number): number | undefined {
  const { kind, period = 'day' } = parseChoice(text) ?? { kind: kindOf(text) };
  if (kind === 'session') return dayStart(firstTs);
  if (kind === 'vwap') return { day: dayStart, week: weekStart, month: monthStart }[period](firstTs);
  if (kind === 'avwap') return anchorTs === 0 ? weekStart(firstTs) : anchorTs;
  return undefined;
}

/**
 * The candles that indicators need from before the first bar of a chart: minutes of up to a day, hours of more; none if
 * they begin with it.
 */
export function earlierRequests(
  indicators: readonly string[],
  firstTs: number,
  anchorTs: number,
): readonly EarlierRequest[] {
  const start = Math.min(...indicators.map((text) => startOf(text, firstTs, anchorTs) ?? Infinity));
  if (firstTs === 0 || start >= firstTs) return [];
  const minutesFrom = firstTs - start > DAY_MS ? Math.floor(firstTs / HOUR_MS) * HOUR_MS : start;
  const hours = Math.ceil((minutesFrom - start) / HOUR_MS);
  const minutes = Math.ceil((firstTs - minutesFrom) / MINUTE_MS);
  const requests: EarlierRequest[] = [];
  if (hours > 0)
    requests.push({ interval: '1h', start, end: minutesFrom, limit: Math.min(hours, CANDLES_MAX) });
  if (minutes > 0) requests.push({ interval: '1m', start: minutesFrom, end: firstTs, limit: minutes });
  return requests;
}
