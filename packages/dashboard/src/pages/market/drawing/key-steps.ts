import { placeOf, timeOf } from './bar-places.ts';
import type { Anchor, Drawing } from './drawing.ts';

/** What an arrow key moves a point by: bars to the right, or pixels up. */
export interface KeyStep {
  readonly bars: number;
  readonly px: number;
}

const STEP_PX = 4;
/** With Shift. */
const LARGE_PX = 20;

/** The step of a key; `undefined`: another key. With Shift, left and right are for a replay. */
export function stepOf({ key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>): KeyStep | undefined {
  const px = shiftKey ? LARGE_PX : STEP_PX;
  if (key === 'ArrowUp') return { bars: 0, px };
  if (key === 'ArrowDown') return { bars: 0, px: -px };
  if (shiftKey) return undefined;
  if (key === 'ArrowLeft') return { bars: -1, px: 0 };
  return key === 'ArrowRight' ? { bars: 1, px: 0 } : undefined;
}

/** The price next to another in the direction of a step, rounded to these decimals. */
export function nextPrice(price: number, target: number, digits: number): number {
  const least = 10 ** -digits;
  const by = Math.abs(target - price) < least ? Math.sign(target - price) * least : target - price;
  return Number((price + by).toFixed(digits));
}

/** A drawing moved by a step of a key. */
export function stepped(
  drawing: Drawing,
  { bars: by, px }: KeyStep,
  bars: readonly { readonly openTs: number }[],
  priceAbove: (price: number, px: number) => number,
): Drawing {
  const anchors = drawing.anchors.map(
    ({ ts, price }): Anchor => ({
      ts: by === 0 ? ts : timeOf(bars, placeOf(bars, ts) + by),
      price: px === 0 ? price : priceAbove(price, px),
    }),
  );
  return { ...drawing, anchors };
}
