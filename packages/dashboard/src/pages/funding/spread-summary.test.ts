import { expect, it } from 'vitest';
import { spreadSummary } from './spread-summary.ts';

const HOUR_MS = 3_600_000;
const SINCE_MS = 1_000 * HOUR_MS;
const range = { nowMs: SINCE_MS + 48.5 * HOUR_MS, days: 2 };
/** The first is of the hour that ends an hour after the range begins. */
const points = (values: readonly number[]) => values.map((y, i) => ({ x: SINCE_MS + (i + 1) * HOUR_MS, y }));

it('has the mean, what was earned and the hours above zero of the hours with both rates', () => {
  const { hours, ofHours, figures } = spreadSummary(points(Array(24).fill(73).fill(-73, 18)), range);
  expect([hours, ofHours]).toEqual([24, 48]);
  expect(figures?.meanPct).toBeCloseTo(36.5, 9);
  expect(figures?.earnedPct).toBeCloseTo(0.1, 9);
  expect(figures?.positivePct).toBe(75);
});

it('has no figures from less than a day', () => {
  expect(spreadSummary(points(Array(23).fill(73)), range)).toEqual({ hours: 23, ofHours: 48 });
  expect(spreadSummary([], range)).toEqual({ hours: 0, ofHours: 48 });
});

it('leaves out hours that end before the time begins or after it ends', () => {
  const values = Array.from({ length: 60 }, (_, i) => ({ x: SINCE_MS + (i - 5) * HOUR_MS, y: 1 }));
  expect(spreadSummary(values, range).hours).toBe(48);
});
