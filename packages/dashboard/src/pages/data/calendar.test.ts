import { describe, expect, it } from 'vitest';
import { calendarOf, DAY_MS, isGap, lengthText, sharesOf, type Stretch } from './calendar.ts';

const HOUR_MS = 3_600_000;
const stretches: readonly Stretch[] = [
  { from: 0, to: 12 * HOUR_MS, state: 'missing', reason: 'before the record begins' },
  { from: 12 * HOUR_MS, to: 23 * HOUR_MS, state: 'complete' },
  { from: 23 * HOUR_MS, to: 25 * HOUR_MS, state: 'missing', reason: 'the feed was not up' },
  { from: 25 * HOUR_MS, to: 36 * HOUR_MS, state: 'complete' },
];

describe('the calendar', () => {
  it('splits spans at midnight, newest day first, ending at the current time', () => {
    const days = calendarOf(stretches, 0);
    expect(days.map(({ dayMs, pieces }) => [dayMs, pieces.length])).toEqual([
      [DAY_MS, 2],
      [0, 3],
    ]);
    expect(days[0]?.pieces.map(({ left, width }) => [left, width])).toEqual([
      [0, (1 / 24) * 100],
      [(1 / 24) * 100, (11 / 24) * 100],
    ]);
    expect(days.map(({ whole }) => whole)).toEqual([11 / 12, 11 / 24]);
  });

  it('counts the time since recording began, and calls only what is in it a gap', () => {
    expect(sharesOf(stretches)).toEqual({ complete: 22 / 24, refilled: 0, partial: 0, missing: 2 / 24 });
    expect(stretches.filter(isGap).map(({ from }) => from)).toEqual([23 * HOUR_MS]);
    expect(calendarOf([], 0)).toEqual([]);
  });

  it('prints lengths in the two units that matter', () => {
    expect([3_210, 250_000, 2 * HOUR_MS + 300_000, 4 * DAY_MS + HOUR_MS].map(lengthText)).toEqual([
      '3.2s',
      '4m 10s',
      '2h 5m',
      '4d 1h',
    ]);
  });
});
