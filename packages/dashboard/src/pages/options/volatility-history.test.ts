import { expect, it } from 'vitest';
import {
  impliedLine,
  indexLine,
  indexRank,
  rankedVolatility,
  rankOf,
  realisedByDay,
  realisedLine,
} from './volatility-history.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Two samples a day: noon, which does not count, and 18:00. */
const daysOf = (values: readonly number[]) =>
  values.flatMap((y, day) => [
    { x: day * DAY_MS + 12 * HOUR_MS, y: 999 },
    { x: day * DAY_MS + 18 * HOUR_MS, y },
  ]);

it('has the recorded volatility in percent, without samples that have none', () => {
  expect(impliedLine([{ t: 1, atmIv30: 0.5 }, { t: 2 }])).toEqual([{ x: 1, y: 50 }]);
});

it('ranks the newest value among the last values of all days', () => {
  expect(rankOf(daysOf([40, 44, 60, 42, 46, 48, 50]))).toEqual({
    days: 7,
    low: 40,
    high: 60,
    rank: 50,
    percentile: expect.closeTo((5 / 6) * 100, 9),
  });
});

it('counts the days without a rank while they are few, and has none of equal days', () => {
  expect(rankOf(daysOf([40, 44, 60, 42, 46, 48]))).toEqual({ days: 6, low: 40, high: 60 });
  expect(rankOf(daysOf([50, 50, 50, 50, 50, 50, 50]))).toEqual({ days: 7, low: 50, high: 50, percentile: 0 });
  expect(rankOf([])).toBeUndefined();
});

it('has the realised volatility of 30 days where no day of them is missing', () => {
  const days = Array.from({ length: 33 }, (_, day) => ({
    ts: day * DAY_MS,
    close: 100 * Math.exp(day % 2 === 0 ? 0.01 : 0),
  }));
  const byDay = realisedByDay(days);
  expect([...byDay.keys()]).toEqual([31, 32, 33].map((day) => day * DAY_MS));
  expect(byDay.get(31 * DAY_MS)).toBeCloseTo(Math.sqrt(365), 9);
  expect(realisedByDay(days.filter(({ ts }) => ts !== 5 * DAY_MS)).size).toBe(0);
});

it('has the realised volatility of the newest full day at each time, for a day longer than it is known', () => {
  const byDay = new Map([
    [10 * DAY_MS, 30],
    [11 * DAY_MS, 31],
  ]);
  const times = [10, 10.9, 11, 12.5, 13].map((day) => ({ x: day * DAY_MS, y: 0 }));
  expect(realisedLine(byDay, times).map(({ x, y }) => [x / DAY_MS, y])).toEqual([
    [10, 30],
    [10.9, 30],
    [11, 31],
    [12.5, 31],
  ]);
});

it('draws the closes of an index at the end of their days, and the newest when it was fetched', () => {
  const days = [
    { t: 0, close: 0.4 },
    { t: DAY_MS, close: 0.5 },
  ];
  expect(indexLine(days, DAY_MS + HOUR_MS)).toEqual([
    { x: DAY_MS, y: 40 },
    { x: DAY_MS + HOUR_MS, y: 50 },
  ]);
});

it('ranks the newest close of an index among those of a year', () => {
  const days = Array.from({ length: 370 }, (_, i) => ({
    t: i * DAY_MS,
    close: i < 5 ? 9 : 0.4 + (i % 100) / 100,
  }));
  expect(indexRank(days)).toEqual({
    days: 365,
    low: 40,
    high: expect.closeTo(139, 9),
    rank: expect.closeTo((69 / 99) * 100, 9),
    // Of the 364 other days, 64 of the first hundred are lower, and 69 of each later one.
    percentile: (271 / 364) * 100,
  });
  expect(indexRank([])).toBeUndefined();
});

it('has a value and a rank of the same volatility: of the index where there is one', () => {
  const implied = daysOf([40, 44, 60, 42, 46, 48, 50]);
  const indexDays = [0.41, 0.5, 0.45, 0.6, 0.5, 0.5, 0.432].map((close, day) => ({ t: day * DAY_MS, close }));
  const ofIndex = rankedVolatility(indexDays, implied);
  expect(ofIndex).toEqual({ name: 'DVOL', now: expect.closeTo(43.2, 9), rank: indexRank(indexDays) });
  expect(ofIndex.rank?.rank).toBeCloseTo((2.2 / 19) * 100, 9);
  expect(rankedVolatility([], implied)).toEqual({ name: 'Implied', now: 50, rank: rankOf(implied) });
  expect(rankedVolatility([], [])).toEqual({ name: 'Implied' });
});
