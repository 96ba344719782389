import type { LentTicks } from '../ticks/decode-ticks.ts';
import { scratchColumns } from '../ticks/scratch-columns.ts';
import { LIMB } from './exact-sums.ts';
import type { Scale } from './scale.ts';

const scratch = scratchColumns();

/**
 * Copies the trades [from, to), as many as fit, into the scratch columns at the given scale, which is at least as fine
 * as theirs, and returns the position of the first. Columns lent from the scratch stay in place; a finer scale changes
 * them and is recorded in them.
 */
export function copyToScratch(columns: LentTicks, scale: Scale, from: number, to: number): number {
  const perPrice = 10 ** (scale.priceDecimals - columns.priceDecimals);
  const perSize = 10 ** (scale.sizeDecimals - columns.sizeDecimals);
  if (columns.price === scratch.price) {
    if (perPrice !== 1) rescale(scratch.price, perPrice, columns.length);
    if (perSize !== 1) rescale(scratch.size, perSize, columns.length);
    columns.priceDecimals = scale.priceDecimals;
    columns.sizeDecimals = scale.sizeDecimals;
    return from;
  }
  scratch.ts.set(columns.ts.subarray(from, to));
  scratch.price.set(columns.price.subarray(from, to));
  scratch.size.set(columns.size.subarray(from, to));
  scratch.isBuy.set(columns.isBuy.subarray(from, to));
  if (perPrice !== 1) rescale(scratch.price, perPrice, to - from);
  if (perSize !== 1) rescale(scratch.size, perSize, to - from);
  return 0;
}

function rescale(column: Float64Array, factor: number, length: number): void {
  for (let i = 0; i < length; i += 1) {
    const value = column[i]! * factor;
    if (value >= LIMB) {
      throw new RangeError(
        `the trade at ${scratch.ts[i]} is too large to be exact beside trades with finer decimals`,
      );
    }
    column[i] = value;
  }
}
