import { bps, price } from '../../../format/numbers.ts';
import { type Indicator, indicator, type IndicatorLine, type Sample } from '../indicator.ts';
import { lastUpTo } from './compared.ts';

interface SpreadLook {
  /** Text of the choice in the URL. */
  readonly name: string;
  readonly title: string;
  readonly color: IndicatorLine['color'];
}

const BPS = 10_000;
/** Prices further apart are those of different assets: their ratio is shown. */
const PREMIUM_MAX = 0.05;
/** An older price of the other market is not compared. */
const HELD_MS = 600_000;

/** `+3.2 bps`, or the ratio of two assets. */
function spreadText(ratio: number): string {
  return Math.abs(ratio - 1) <= PREMIUM_MAX ? bps((ratio - 1) * BPS) : price(ratio);
}

/** The price of a chart divided by that of another market: a premium, a basis, or the price of one asset in another. */
export function spread(look: SpreadLook, samples: () => readonly Sample[]): Indicator {
  return indicator<undefined>({
    name: look.name,
    title: look.title,
    isOverlay: false,
    lines: [{ name: 'Spread', color: look.color }],
    marks: [1],
    text: spreadText,
    start: undefined,
    step(state, { openTs, closeTs, close }) {
      const known = samples();
      const other = known[lastUpTo(known, closeTs)];
      const isComparable = other !== undefined && other.value > 0 && other.ts >= openTs - HELD_MS;
      return [state, [isComparable ? close / other.value : undefined]];
    },
  });
}
