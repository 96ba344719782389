import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundTicks, rowsOf } from './ticks.ts';

describe('the ticks of an axis', () => {
  it('are round, and lie between its ends', () => {
    expect(roundTicks(-3, 21, 5)).toEqual([0, 5, 10, 15, 20]);
    expect(roundTicks(95_000, 131_000, 4)).toEqual([100_000, 110_000, 120_000, 130_000]);
    expect(roundTicks(2, 2, 5)).toEqual([]);
  });

  it('are never many more than requested', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9 }), fc.double({ min: 1e-3, max: 1e9 }), (low, span) => {
        const ticks = roundTicks(low, low + span, 6);
        expect(ticks.length).toBeLessThanOrEqual(8);
      }),
    );
  });
});

describe('labels above a chart', () => {
  it('that would touch are put on rows of their own, whatever their order', () => {
    const labels = [
      { from: 10, to: 40 },
      { from: 60, to: 90 },
      { from: 30, to: 55 },
    ];
    expect(rowsOf(labels)).toEqual([0, 0, 1]);
  });
});
