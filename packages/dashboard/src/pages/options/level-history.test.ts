import { expect, it } from 'vitest';
import {
  changeOfDay,
  levelPeriods,
  levelsOfTwoDays,
  levelsSinceMs,
  openInterestOf,
} from './level-history.ts';

const HOUR_MS = 3_600_000;
const sample = (hour: number, callOi: number) => ({
  t: hour * HOUR_MS,
  spot: 100,
  totalGex: 1,
  callWall: 120,
  putWall: 80,
  gammaFlip: null,
  callOi,
  putOi: 1,
});

it('compares the open interest of two samples, which count the same options', () => {
  const { today, yesterday } = levelsOfTwoDays([sample(0, 4), sample(1, 5), sample(2, 6), sample(25, 9)]);
  expect([openInterestOf(today), openInterestOf(yesterday)]).toEqual([10, 6]);
});

it('compares with nothing where the sample of a day ago is missing', () => {
  expect(levelsOfTwoDays([sample(0, 4), sample(25, 9)]).yesterday).toBeUndefined();
  expect(openInterestOf(levelsOfTwoDays([]).today)).toBeUndefined();
});

it('has the change of a day where both samples are recorded', () => {
  expect(changeOfDay([sample(0, 4), { ...sample(24, 9), putOi: 0.5, totalGex: -2 }])).toEqual({
    callOi: 5,
    putOi: -0.5,
    totalGex: -3,
  });
  expect(changeOfDay([sample(0, 4), sample(25, 9)])).toBeUndefined();
  expect(changeOfDay([])).toBeUndefined();
});

it('requests the shown period and the sample of a day ago, the same for a whole hour', () => {
  const nowMs = 5_000 * HOUR_MS + 59 * 60_000;
  const sinceMs = levelsSinceMs('1d', nowMs);
  expect(sinceMs).toBe((5_000 - 25) * HOUR_MS);
  expect(levelsSinceMs('1d', 5_000 * HOUR_MS)).toBe(sinceMs);
  expect(levelPeriods.map((period) => (nowMs - levelsSinceMs(period, nowMs)) / HOUR_MS / 24)).toEqual(
    [7, 1, 30, 90].map((days) => expect.closeTo(days, 0)),
  );
});
