import { aggregates } from '../../../format/aggregates.ts';
import { percent } from '../../../format/numbers.ts';
import type { Bar } from '../../../live/topic.ts';
import { type Indicator, indicator, type IndicatorLine, type Sample } from '../indicator.ts';
import { marketOf } from '../market-choice.ts';

/** Prices at the bar that both markets are compared from. */
export interface CompareBase {
  readonly ts: number;
  readonly own: number;
  readonly other: number;
}

/** The id of a market of the URL: a coin is the primary venue's, `spot` all spot pairs of the coin of the chart. */
export function comparedId(market: string, coin: string): string {
  if (market.includes(':')) return market;
  return market in aggregates ? `${market}:${coin}` : marketOf(market, null).id;
}

/** Index of the last sample up to a time; −1: none. */
export function lastUpTo(samples: readonly Sample[], ts: number): number {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (samples[middle]!.ts <= ts) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The first of some bars at which the other market has a price. */
export function baseOf(bars: Iterable<Bar>, samples: readonly Sample[]): CompareBase | undefined {
  for (const { closeTs, openTs, close } of bars) {
    const other = samples[lastUpTo(samples, closeTs)]?.value;
    if (other !== undefined && other > 0 && close > 0) return { ts: openTs, own: close, other };
  }
  return undefined;
}

/** Samples with an older page before them. */
export function withOlder(samples: readonly Sample[], older: readonly Sample[]): Sample[] {
  const firstTs = samples[0]?.ts ?? Infinity;
  return [...older.filter(({ ts }) => ts < firstTs), ...samples];
}

/** Adds newer samples; the first one may replace the last. Beyond the maximum, the oldest ones are removed. */
export function addNewer(samples: Sample[], newer: readonly Sample[], samplesMax: number): void {
  const firstTs = newer[0]?.ts ?? Infinity;
  while (samples.length > 0 && samples.at(-1)!.ts >= firstTs) samples.pop();
  for (const sample of newer) samples.push(sample);
  if (samples.length > samplesMax) samples.splice(0, samples.length - samplesMax);
}

interface CompareLook {
  /** Text of the choice in the URL. */
  readonly name: string;
  /** Name of the other market in the legend. */
  readonly title: string;
  readonly color: IndicatorLine['color'];
  /** Time of the base, as text. */
  readonly since: string;
  readonly base: CompareBase;
}

/**
 * The other market as a line over the prices: from the price of the base on, it rises and falls by the same percentage
 * as its market.
 */
export function compared(
  { name, title, color, since, base }: CompareLook,
  samples: () => readonly Sample[],
): Indicator {
  const { own, other } = base;
  return indicator<undefined>({
    name,
    title: `${title} compared`,
    label: `Since ${since}`,
    isOverlay: true,
    lines: [{ name: title, color }],
    text: (value) => percent((value / own - 1) * 100),
    start: undefined,
    step(state, { closeTs }) {
      const known = samples();
      const value = known[lastUpTo(known, closeTs)]?.value;
      return [state, [value === undefined ? undefined : (value / other) * own]];
    },
  });
}
