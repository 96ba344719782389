import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../../test/runs.ts';
import { decodeDepth, encodeDepth } from './depth-row.ts';
import type { DepthLevel, DepthSide, DepthSnapshot } from './recorded-depth.ts';

const step = fc.record({
  places: fc.integer({ min: 1, max: 300 }),
  power: fc.integer({ min: 0, max: 4 }),
  size: fc.integer({ min: 0, max: 99_999 }),
});

/** Levels away from a price, each a whole multiple of its width. */
function levelsFrom(
  base: number,
  steps: readonly { places: number; power: number; size: number }[],
  sign: 1 | -1,
) {
  const levels: DepthLevel[] = [];
  let price = base;
  for (const { places, power, size } of steps) {
    const width = 10 ** power;
    price = (sign === 1 ? Math.floor(price / width) + places : Math.ceil(price / width) - places) * width;
    if (price <= 0) break;
    levels.push({ price, width, size });
  }
  return levels;
}

const snapshots = fc
  .record({
    base: fc.integer({ min: 1_000_000, max: 99_999_999 }),
    stepExponent: fc.integer({ min: -12, max: 4 }),
    unitExponent: fc.integer({ min: -12, max: 9 }),
    below: fc.array(step, { maxLength: 60 }),
    above: fc.array(step, { minLength: 1, maxLength: 60 }),
    cuts: fc.tuple(fc.boolean(), fc.boolean()),
    size: fc.integer({ min: 0, max: 9_999 }),
  })
  .map(({ base, below, above, cuts, size, ...exponents }): DepthSnapshot => {
    const best = { price: base, width: 1, size };
    const side = (levels: readonly DepthLevel[], isCut: boolean): DepthSide => ({ levels, isCut });
    const bids = side([best, ...levelsFrom(base, below, -1)], cuts[0]);
    return { t: 60_000, ...exponents, bids, asks: side(levelsFrom(base, above, 1), cuts[1]) };
  });

describe('a recorded order book', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        expect(decodeDepth(60_000, encodeDepth(snapshot))).toEqual(snapshot);
      }),
      { numRuns: runs(400) },
    );
  });

  it('takes about 270 bytes', () => {
    const side = (sign: 1 | -1): DepthSide => {
      const steps = [0, 1, 2].flatMap((power) =>
        Array.from({ length: power === 0 ? 20 : 18 }, (_, i) => ({
          places: 1,
          power,
          size: 30 * 10 ** power + 97 * i,
        })),
      );
      return { levels: levelsFrom(9_650_000, steps.slice(0, 36), sign), isCut: true };
    };
    const book = { t: 0, stepExponent: -1, unitExponent: -2, bids: side(-1), asks: side(1) };
    expect(encodeDepth(book).length).toBeLessThan(260);
  });

  it('throws for bytes that are cut short, too long, or of too many levels', () => {
    const [snapshot] = fc.sample(snapshots, { numRuns: 1, seed: 4 });
    const bytes = encodeDepth(snapshot!);
    expect(() => decodeDepth(0, bytes.subarray(0, -1))).toThrow('it ends too early');
    expect(() => decodeDepth(0, Uint8Array.of(...bytes, 1))).toThrow('bytes are left over');
    expect(() => decodeDepth(0, Uint8Array.of(64, 64, 5, 255, 255, 3))).toThrow('levels');
  });
});
