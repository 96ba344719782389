import { describe, expect, it } from 'vitest';
import { firstView, keptView, viewOf, zoomedView } from './bar-view.ts';

const barsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ openTs: 1_000 * (first + i) }));

describe('what is seen of the bars', () => {
  it('are the newest at first', () => {
    expect(firstView(1_000)).toEqual({ from: 840, to: 1_004 });
    expect(firstView(10)).toEqual({ from: 0, to: 14 });
  });

  it('stays the same when the list is replaced and begins later', () => {
    const view = { from: 49.75, to: 99.75 };
    expect(keptView(view, barsFrom(0, 300), barsFrom(20, 300))).toEqual({ from: 29.75, to: 79.75 });
  });

  it('stays at the newest, as close as it was', () => {
    const view = { from: 280, to: 304 };
    expect(keptView(view, barsFrom(0, 300), barsFrom(20, 330))).toEqual({ from: 310, to: 334 });
  });

  it('begins with the first where the bars that were seen are no longer there', () => {
    const view = { from: 5, to: 25 };
    expect(keptView(view, barsFrom(0, 300), barsFrom(100, 300))).toEqual({ from: 0, to: 20 });
  });

  it('grows and shrinks around the bar that is read, and never to less than ten bars or more than there are', () => {
    expect(zoomedView({ from: 0, to: 100 }, 0.5, 25, 300)).toEqual({ from: 12.5, to: 62.5 });
    const near = zoomedView({ from: 40, to: 52 }, 0.5, 50, 300);
    expect(near.to - near.from).toBeCloseTo(10);
    const far = zoomedView({ from: 0, to: 250 }, 2, 100, 300);
    expect(far.to - far.from).toBeCloseTo(304);
  });

  it('moves only as far as a bar that is read lies outside', () => {
    expect(viewOf(50, { from: 0, to: 100 })).toEqual({ from: 0, to: 100 });
    expect(viewOf(120, { from: 0, to: 100 })).toEqual({ from: 21, to: 121 });
    expect(viewOf(9, { from: 20, to: 40 })).toEqual({ from: 8, to: 28 });
  });
});
