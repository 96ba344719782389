import { expect, it } from 'vitest';
import { coneOf } from './volatility-cone.ts';

const grown = (days: number, daily: (day: number) => number): readonly number[] => {
  const closes = [100];
  for (let day = 0; day < days; day += 1) closes.push((closes.at(-1) as number) * Math.exp(daily(day)));
  return closes;
};

it('is the volatility of every period of each length', () => {
  // 1 % a day for 30 days, then 2 %.
  const cone = coneOf(grown(60, (day) => (day < 30 ? 0.01 : 0.02) * (day % 2 === 0 ? 1 : -1)));
  const yearly = (daily: number): number => daily * Math.sqrt(365);
  expect(cone.map(({ days }) => days)).toEqual([7, 14, 30]);
  expect(cone[0]).toEqual({
    days: 7,
    low: expect.closeTo(yearly(1), 9),
    median: expect.any(Number),
    high: expect.closeTo(yearly(2), 9),
    current: expect.closeTo(yearly(2), 9),
  });
});

it('has nothing without enough days', () => {
  expect(coneOf([])).toEqual([]);
  expect(coneOf(grown(7, () => 0.01))).toEqual([]);
  expect(coneOf(grown(8, () => 0.01)).map(({ days }) => days)).toEqual([7]);
});
