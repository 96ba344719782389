import type { Bar } from '../../live/topic.ts';
import type { PriceSource } from './indicator-choice.ts';

/** Every price that an indicator can be computed from. */
export const barPrices: Readonly<Record<PriceSource, (bar: Bar) => number>> = {
  close: ({ close }) => close,
  open: ({ open }) => open,
  high: ({ high }) => high,
  low: ({ low }) => low,
  hl2: ({ high, low }) => (high + low) / 2,
  hlc3: ({ high, low, close }) => (high + low + close) / 3,
  ohlc4: ({ open, high, low, close }) => (open + high + low + close) / 4,
};

/** After the name of an indicator: its price source, if not the close. */
export function sourceText(source: PriceSource): string {
  return source === 'close' ? '' : ` ${source}`;
}
