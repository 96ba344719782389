import type { LentTicks } from '../ticks/decode-ticks.ts';
import { tickDesk } from '../ticks/tick-desk.ts';
import { LIMB } from './exact-sums.ts';
import type { Scale } from './scale.ts';

const desk = tickDesk();

/**
 * Puts the trades [from, to), no more than fit, onto the desk in the given scale, which is at least as fine as theirs,
 * and returns where the first one lies. What was lent from the desk stays where it is; in a finer scale it changes,
 * and says so.
 */
export function layOnDesk(columns: LentTicks, scale: Scale, from: number, to: number): number {
  const perPrice = 10 ** (scale.priceDecimals - columns.priceDecimals);
  const perSize = 10 ** (scale.sizeDecimals - columns.sizeDecimals);
  if (columns.price === desk.price) {
    if (perPrice !== 1) rescale(desk.price, perPrice, columns.length);
    if (perSize !== 1) rescale(desk.size, perSize, columns.length);
    columns.priceDecimals = scale.priceDecimals;
    columns.sizeDecimals = scale.sizeDecimals;
    return from;
  }
  desk.ts.set(columns.ts.subarray(from, to));
  desk.price.set(columns.price.subarray(from, to));
  desk.size.set(columns.size.subarray(from, to));
  desk.isBuy.set(columns.isBuy.subarray(from, to));
  if (perPrice !== 1) rescale(desk.price, perPrice, to - from);
  if (perSize !== 1) rescale(desk.size, perSize, to - from);
  return 0;
}

function rescale(column: Float64Array, factor: number, length: number): void {
  for (let i = 0; i < length; i += 1) {
    const value = column[i]! * factor;
    if (value >= LIMB) {
      throw new RangeError(
        `the trade at ${desk.ts[i]} is too large to be exact beside trades with finer decimals`,
      );
    }
    column[i] = value;
  }
}
