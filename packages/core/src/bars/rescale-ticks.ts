import type { TickColumns } from '../ticks/tick-columns.ts';
import { LIMB } from './exact-sums.ts';
import type { Scale } from './scale.ts';

/** The same trades [from, to) at a finer scale; the very same columns where nothing is to be done. */
export function rescaleTicks(columns: TickColumns, scale: Scale, from: number, to: number): TickColumns {
  const perPrice = 10 ** (scale.priceDecimals - columns.priceDecimals);
  const perSize = 10 ** (scale.sizeDecimals - columns.sizeDecimals);
  if (perPrice === 1 && perSize === 1) return columns;
  const price = new Float64Array(to);
  const size = new Float64Array(to);
  for (let i = from; i < to; i += 1) {
    const p = columns.price[i]! * perPrice;
    const s = columns.size[i]! * perSize;
    if (p >= LIMB || s >= LIMB) {
      throw new RangeError(
        `the trade at ${columns.ts[i]} is too large to be exact beside trades with finer decimals`,
      );
    }
    price[i] = p;
    size[i] = s;
  }
  return { ...columns, ...scale, price, size };
}
