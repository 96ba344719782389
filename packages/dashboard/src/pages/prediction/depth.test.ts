import { describe, expect, it } from 'vitest';
import { depthAt, levelsOf } from './depth.ts';

const bids = levelsOf([
  [0.5, 10],
  [0.4, 100],
]);

describe('the depth of a book', () => {
  it('is the value of everything up to a price', () => {
    expect(bids.map(({ sumUsd }) => sumUsd)).toEqual([5, 45]);
    expect([0.6, 0.5, 0.45, 0.1].map((at) => depthAt(bids, (price) => price >= at))).toEqual([0, 5, 5, 45]);
    expect(depthAt(levelsOf([]), () => true)).toBe(0);
  });
});
