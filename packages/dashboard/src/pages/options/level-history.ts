import type { AnswerOf } from '@crosstape/client';

type LevelsSample = AnswerOf<'/options/history'>['data']['points'][number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Periods of the history, the default first. */
export const levelPeriods = ['7d', '1d', '30d', '90d'] as const;
export type LevelPeriod = (typeof levelPeriods)[number];

export function periodMs(period: LevelPeriod): number {
  return Number.parseInt(period, 10) * DAY_MS;
}

/** From when samples are requested: an hour more than a period, for the sample of a day ago, and the same for an hour. */
export function levelsSinceMs(period: LevelPeriod, nowMs: number): number {
  return (Math.floor(nowMs / HOUR_MS) - 1) * HOUR_MS - periodMs(period);
}

/** The newest sample and the one a day before it; the latter is absent until there is one. */
export function levelsOfTwoDays(points: readonly LevelsSample[]): {
  readonly today?: LevelsSample | undefined;
  readonly yesterday?: LevelsSample | undefined;
} {
  const today = points.at(-1);
  if (!today) return {};
  const atMs = today.t - DAY_MS;
  return { today, yesterday: points.findLast(({ t }) => t <= atMs && t > atMs - HOUR_MS) };
}

/** Open interest of the options that a sample counts: those with a price. */
export function openInterestOf(sample: LevelsSample | undefined): number | undefined {
  return sample && sample.callOi + sample.putOi;
}

/** How the totals have changed since the sample of a day ago; `undefined` where that is missing. */
export function changeOfDay(
  points: readonly LevelsSample[],
): { readonly callOi: number; readonly putOi: number; readonly totalGex: number } | undefined {
  const { today, yesterday } = levelsOfTwoDays(points);
  if (!today || !yesterday) return undefined;
  return {
    callOi: today.callOi - yesterday.callOi,
    putOi: today.putOi - yesterday.putOi,
    totalGex: today.totalGex - yesterday.totalGex,
  };
}
