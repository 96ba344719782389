import { expect, it } from 'vitest';
import { HOUR_MS, ratesOf, spreadOf, unrecordedText } from './funding-history.ts';

const point = (hour: number, rates: Readonly<Record<string, number>>, origin: 'recorded' | 'venue') => ({
  ts: hour * HOUR_MS,
  byVenue: rates,
  nativePeriodHours: Object.fromEntries(Object.keys(rates).map((venue) => [venue, venue === 'a' ? 4 : 1])),
  origin: Object.fromEntries(Object.keys(rates).map((venue) => [venue, origin])),
});
const hoursOf = (points: readonly { x: number; y: number }[]) =>
  points.map(({ x, y }) => [x / HOUR_MS, Math.round(y)]);

it('lets a paid rate stand for the hours of its period, up to what is recorded', () => {
  const series = {
    points: [
      point(4, { a: 0.0001 }, 'venue'),
      point(6, { a: 0.0003 }, 'recorded'),
      point(8, { a: 0.0002 }, 'venue'),
    ],
    periodHours: { a: 8 },
  };
  expect(hoursOf(ratesOf(series, 'a'))).toEqual([
    [1, 11],
    [2, 11],
    [3, 11],
    [4, 11],
    [6, 33],
    [7, 22],
    [8, 22],
  ]);
  expect(ratesOf(series, 'b')).toEqual([]);
});

it('subtracts the rates of the same hours', () => {
  const series = {
    points: [point(3, { b: 0.00001 }, 'venue'), point(4, { a: 0.0001, b: 0.00002 }, 'venue')],
    periodHours: { a: 8, b: 1 },
  };
  const spread = spreadOf(ratesOf(series, 'a'), ratesOf(series, 'b'));
  expect(spread.map(({ x, y }) => [x / HOUR_MS, y.toFixed(2)])).toEqual([
    [3, '2.19'],
    [4, '-6.57'],
  ]);
});

it('names the venues without a record, and the time of the next rate', () => {
  const nowMs = Date.UTC(2026, 10, 18, 12, 5);
  expect(unrecordedText(['Gate', 'MEXC'], nowMs, 'UTC')).toBe(
    'Gate and MEXC: no rates recorded yet, so no spread. The next is recorded at 13:00.',
  );
});
