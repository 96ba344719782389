import { describe, expect, it } from 'vitest';
import { alignLines, type Line, nearestOf, usualRange, wholeRange } from './line.ts';

const line = (...xs: readonly number[]): Line => ({
  name: 'a',
  color: '--series-1',
  points: xs.map((x) => ({ x, y: x * 10 })),
});

describe('lines on one axis', () => {
  it('are drawn through where only another one has a point', () => {
    expect(alignLines([line(1, 3), line(2, 3)])).toEqual([
      [1, 2, 3],
      [10, undefined, 30],
      [undefined, 20, 30],
    ]);
  });

  it('are broken over a gap, and only those that have it', () => {
    expect(alignLines([line(1, 2, 6, 7), line(1, 3, 5, 7)], 2)).toEqual([
      [1, 2, 3, 4, 5, 6, 7],
      [10, 20, undefined, null, undefined, 60, 70],
      [10, undefined, 30, undefined, 50, undefined, 70],
    ]);
  });

  it('are broken over the gap of each line, if it has its own', () => {
    const lines = [{ ...line(1, 3, 5), gapFrom: 1 }, { ...line(1, 9), gapFrom: 10 }, line(1, 5)];
    expect(alignLines(lines, 3)).toEqual([
      [1, 2, 3, 4, 5, 9],
      [10, null, 30, null, 50, undefined],
      [10, undefined, undefined, undefined, undefined, 90],
      [10, undefined, null, undefined, 50, undefined],
    ]);
  });

  it('are read at the nearest point, but not across a gap', () => {
    expect(nearestOf(line(1, 2, 6), 3, 1)).toBe(20);
    expect(nearestOf(line(1, 2, 6), 5.2, 1)).toBe(60);
    expect(nearestOf(line(1, 2, 6), 4, 1)).toBeUndefined();
    expect(nearestOf(line(), 4, 1)).toBeUndefined();
  });
});

describe('the usual range', () => {
  const lineOf = (ys: readonly number[]) => [
    { name: 'a', color: '--up', points: ys.map((y, x) => ({ x, y })) },
  ];
  const calm = Array.from({ length: 200 }, (_, i) => 10 + (i % 10) / 10);

  it('leaves out rare spikes, and nothing else', () => {
    const [low = 0, high = 0] = usualRange(lineOf([...calm, -180, 90])) ?? [];
    expect(low).toBeLessThan(10);
    expect(low).toBeGreaterThan(8);
    expect(high).toBeGreaterThan(10.9);
    expect(high).toBeLessThan(13);
  });

  it('is not labelled where the whole axis can be read', () => {
    expect(usualRange(lineOf(calm))).toBeUndefined();
    expect(usualRange(lineOf([]))).toBeUndefined();
    expect(usualRange(lineOf([5, 5, 5]))).toBeUndefined();
  });
});

it('shows the whole of a given axis while all points are visible, and what was zoomed to', () => {
  expect(wholeRange([5, 6, 9], [5, 9], [0, 10])).toEqual([0, 10]);
  expect(wholeRange([5, 6, 9], [5, 6], [0, 10])).toEqual([5, 6]);
});
