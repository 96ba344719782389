import type { Schemas } from '@crosstape/client';

export const DAY_MS = 86_400_000;

export type Stretch = Schemas['CoverageStretch'];
type State = Stretch['state'];

export interface Piece {
  /** The stretch that it is a part of. */
  readonly stretch: Stretch;
  /** In percent of the day. */
  readonly left: number;
  readonly width: number;
}

export interface CalendarDay {
  readonly dayMs: number;
  readonly pieces: readonly Piece[];
  /** Time of the day that is recorded without a gap, or whose gap was refilled: a fraction of the time passed. */
  readonly whole: number;
}

/** The time before recording began is not a gap. */
export function isBefore({ state, reason }: Stretch): boolean {
  return state === 'missing' && reason === 'before the record begins';
}

export function isGap(stretch: Stretch): boolean {
  return stretch.state !== 'complete' && !isBefore(stretch);
}

/** Stretches cut into days, the newest first. */
export function calendarOf(stretches: readonly Stretch[], fromMs: number): readonly CalendarDay[] {
  const end = stretches.at(-1)?.to ?? fromMs;
  const count = Math.ceil((end - fromMs) / DAY_MS);
  return Array.from({ length: count }, (_, i) => dayOf(stretches, fromMs + (count - 1 - i) * DAY_MS, end));
}

function dayOf(stretches: readonly Stretch[], dayMs: number, endMs: number): CalendarDay {
  const until = Math.min(dayMs + DAY_MS, endMs);
  let wholeMs = 0;
  const pieces = stretches.flatMap((stretch): Piece[] => {
    const [from, to] = [Math.max(stretch.from, dayMs), Math.min(stretch.to, until)];
    if (from >= to) return [];
    if (stretch.state === 'complete' || stretch.state === 'refilled') wholeMs += to - from;
    return [{ stretch, left: ((from - dayMs) / DAY_MS) * 100, width: ((to - from) / DAY_MS) * 100 }];
  });
  return { dayMs, pieces, whole: until > dayMs ? wholeMs / (until - dayMs) : 0 };
}

/** Shares of the time since the record begins, by state. */
export function sharesOf(stretches: readonly Stretch[]): Readonly<Record<State, number>> {
  const sums = { complete: 0, refilled: 0, partial: 0, missing: 0 };
  for (const stretch of stretches) if (!isBefore(stretch)) sums[stretch.state] += stretch.to - stretch.from;
  const total = Object.values(sums).reduce((sum, one) => sum + one, 0) || 1;
  return {
    complete: sums.complete / total,
    refilled: sums.refilled / total,
    partial: sums.partial / total,
    missing: sums.missing / total,
  };
}

/** `3.2s`, `4m 10s`, `2h 5m`, `3d 4h` */
export function lengthText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${Math.round(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h ${minutes % 60}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}
