import type { Time } from 'lightweight-charts';
import { expect, it } from 'vitest';
import { RECENT_MAX, SplitSeries } from './split-series.ts';

interface Point {
  readonly time: Time;
  readonly value?: number;
}

/** A series that keeps its points as the chart does: values only, and none earlier than the last. */
class FakeSeries {
  points: Point[] = [];
  changes = 0;
  #lastTime = -Infinity;

  setData(points: Point[]): void {
    this.changes += 1;
    this.points = points.filter(({ value }) => value !== undefined);
    this.#lastTime = Number(points.at(-1)?.time ?? -Infinity);
  }

  update(point: Point): void {
    this.changes += 1;
    if (Number(point.time) < this.#lastTime) throw new Error('Cannot update oldest data');
    if (Number(point.time) === this.#lastTime) this.points.pop();
    this.points.push(point);
    this.#lastTime = Number(point.time);
  }

  dataByIndex(index: number): Point | null {
    return this.points.find(({ time }) => Number(time) === index) ?? null;
  }
}

const pointAt = (at: number, value?: number): Point => ({
  time: at as unknown as Time,
  ...(value !== undefined && { value }),
});
const timesOf = ({ points }: FakeSeries): readonly number[] => points.map(({ time }) => Number(time));

it.each([
  { isLine: false, shared: [] },
  { isLine: true, shared: [998] },
])('changes the long part only when the short one is full: line $isLine', ({ isLine, shared }) => {
  const [older, recent] = [new FakeSeries(), new FakeSeries()];
  const series = new SplitSeries<Point, FakeSeries>(older, recent, isLine);
  series.setData(Array.from({ length: 1_000 }, (_, i) => pointAt(i, i)));
  expect([timesOf(older).length, timesOf(recent)]).toEqual([999, [...shared, 999]]);
  older.changes = 0;
  for (let i = 0; i < 100; i += 1) series.update(pointAt(999, i));
  expect([older.changes, series.valueAt(999), series.valueAt(5)]).toEqual([0, 99, 5]);
  for (let at = 1_000; at < 1_100; at += 1) series.update(pointAt(at, at));
  const all = [...new Set([...timesOf(older), ...timesOf(recent)])];
  expect(all).toEqual(Array.from({ length: 1_100 }, (_, i) => i));
  expect(recent.points.length).toBeLessThanOrEqual(RECENT_MAX);
  // A bar is drawn once, also where it is transparent; a line has no break.
  expect(timesOf(recent).filter((at) => timesOf(older).includes(at))).toHaveLength(isLine ? 1 : 0);
});

it('continues from the last value of a line, whatever follows it', () => {
  const [older, recent] = [new FakeSeries(), new FakeSeries()];
  const series = new SplitSeries<Point, FakeSeries>(older, recent, true);
  series.setData([pointAt(0, 1), pointAt(1, 2), pointAt(2), pointAt(3), pointAt(4, 3)]);
  expect([timesOf(older), timesOf(recent)]).toEqual([
    [0, 1],
    [1, 4],
  ]);
  for (let at = 5; at < 5 + RECENT_MAX; at += 1) series.update(pointAt(at, at));
  expect(timesOf(older)).toEqual([0, 1, ...Array.from({ length: RECENT_MAX }, (_, i) => 4 + i)].slice(0, -1));
  series.setData([]);
  series.update(pointAt(1, 1));
  expect([older.points, timesOf(recent)]).toEqual([[], [1]]);
});
