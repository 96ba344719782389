import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flowPressure, pressureInWords, type PressurePart, pressureComponents } from './flow-pressure.ts';

describe('the pressure score', () => {
  it('is 0 without components where nothing is known', () => {
    expect(flowPressure({})).toEqual({ score: 0, components: [] });
  });

  it('weighs each part against its scale', () => {
    const { score, components } = flowPressure({ proxyPremium: 10, kimchiPremium: -150 });
    const half = Math.tanh(1);
    expect(components).toEqual([
      { part: 'proxyPremium', x: 10, scale: 10, weight: 0.25, contribution: 47.6 },
      { part: 'kimchiPremium', x: -150, scale: 150, weight: 0.15, contribution: -28.56 },
    ]);
    expect(score).toBeCloseTo((100 * (0.25 * half - 0.15 * half)) / 0.4, 2);
  });

  it('counts a part that is 0, unlike one that is missing', () => {
    expect(flowPressure({ proxyPremium: 10 }).score).toBeCloseTo(100 * Math.tanh(1), 2);
    expect(flowPressure({ proxyPremium: 10, primaryNet: 0 }).score).toBeCloseTo(50 * Math.tanh(1), 2);
  });

  it('has weights that make one', () => {
    const sum = Object.values(pressureComponents).reduce((total, { weight }) => total + weight, 0);
    expect(sum).toBeCloseTo(1, 12);
  });

  it('is a number within its bounds, and the sum of what is contributed, whatever the parts', () => {
    const parts = Object.keys(pressureComponents) as PressurePart[];
    const known = fc.dictionary(fc.constantFrom(...parts), fc.double({ noNaN: true, min: -1e12, max: 1e12 }));
    fc.assert(
      fc.property(known, (values) => {
        const { score, components } = flowPressure(values);
        expect(Math.abs(score)).toBeLessThanOrEqual(100);
        expect(components.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(score, 1);
      }),
    );
  });

  it.each([
    [9.99, 'Balanced flows'],
    [-9.99, 'Balanced flows'],
    [10, 'Slight buying pressure'],
    [-25, 'Mild selling pressure'],
    [50, 'High buying pressure'],
  ])('%d is described as %s', (score, words) => {
    expect(pressureInWords(score)).toBe(words);
  });
});
