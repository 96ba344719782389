import { compact, price } from '../../format/numbers.ts';
import type { Bar } from '../../live/topic.ts';
import { barPrices, sourceText } from './bar-prices.ts';
import { dayStart, type EarlierBars, monthStart, weekStart } from './earlier-bars.ts';
import { type Indicator, indicator } from './indicator.ts';
import { type IndicatorChoice, parseChoice } from './indicator-choice.ts';
import { colorToken } from './line-colors.ts';
import { oscillators } from './oscillators.ts';
import { exponential, noMean } from './smoothing.ts';

interface Moments {
  /** Start of its period; NaN before the first. */
  readonly period: number;
  readonly usd: number;
  readonly volume: number;
  /** The beginning of the period is unknown. */
  readonly isCut: boolean;
}

const noMoments: Moments = { period: NaN, usd: 0, volume: 0, isCut: false };

/** Volume-weighted average price since the start of a period; none where its beginning is unknown. */
function averagePrice(
  look: Pick<Indicator, 'name' | 'title' | 'lines'>,
  periodOf: (ts: number) => number | undefined,
  earlier: EarlierBars,
): Indicator {
  const added = (before: Moments, { openTs, notionalUsd, volume, high, low, close }: Bar): Moments => {
    const period = periodOf(openTs);
    if (period === undefined) return before;
    const isFirst = Number.isNaN(before.period);
    const isCut = isFirst && earlier === undefined && periodOf(openTs - 1) === period;
    const from = before.period === period ? before : { ...noMoments, isCut };
    return {
      ...from,
      period,
      usd: from.usd + (Number.isNaN(notionalUsd) ? ((high + low + close) / 3) * volume : notionalUsd),
      volume: from.volume + volume,
    };
  };
  return indicator<Moments>({
    ...look,
    isOverlay: true,
    text: (value) => price(value),
    start: (earlier ?? []).reduce(added, noMoments),
    step(before, bar) {
      const next = added(before, bar);
      const isKnown = next !== before && !next.isCut && next.volume > 0;
      return [next, [isKnown ? next.usd / next.volume : undefined]];
    },
  });
}

/** Since the beginning of each UTC day, week or month. */
function vwap(name: string, { period = 'day', color = 3 }: IndicatorChoice, earlier: EarlierBars): Indicator {
  return averagePrice(
    {
      name,
      title: `VWAP of the ${period}`,
      lines: [{ name: period === 'day' ? 'VWAP' : `VWAP ${period}`, color: colorToken(color) }],
    },
    { day: dayStart, week: weekStart, month: monthStart }[period],
    earlier,
  );
}

/** Since a bar; 0: since the last Monday 00:00 UTC. */
function anchoredVwap(
  name: string,
  { color = 6 }: IndicatorChoice,
  anchorTs: number,
  earlier: EarlierBars,
): Indicator {
  return averagePrice(
    {
      name,
      title: 'Anchored VWAP',
      lines: [{ name: 'AVWAP', color: colorToken(color), isDashed: true }],
    },
    (ts) => {
      if (anchorTs === 0) return weekStart(ts);
      return ts >= anchorTs ? anchorTs : undefined;
    },
    earlier,
  );
}

/** Exponential moving average; it begins as the mean of the first `length`. */
function ema(name: string, { length = 20, source = 'close', color = 1 }: IndicatorChoice): Indicator {
  const priceOf = barPrices[source];
  const title = `EMA ${length}${sourceText(source)}`;
  return indicator({
    name,
    title,
    isOverlay: true,
    lines: [{ name: title, color: colorToken(color) }],
    text: (value) => price(value),
    start: noMean,
    step(before, bar) {
      const next = exponential(before, priceOf(bar), length);
      return [next, [next.count < length ? undefined : next.mean]];
    },
  });
}

/** Bollinger bands: the mean of some bars, and standard deviations on either side. */
function bollinger(
  name: string,
  { length = 20, deviations = 2, source = 'close', color = 8 }: IndicatorChoice,
): Indicator {
  const priceOf = barPrices[source];
  return indicator<readonly number[]>({
    name,
    title: `Bollinger bands ${length}, ${deviations}${sourceText(source)}`,
    isOverlay: true,
    lines: [
      { name: 'BB mid', color: colorToken(color), isDashed: true },
      { name: 'BB high', color: colorToken(color) },
      { name: 'BB low', color: colorToken(color) },
    ],
    text: (value) => price(value),
    start: [],
    step(before, bar) {
      const values = [...before.slice(1 - length), priceOf(bar)];
      if (values.length < length) return [values, []];
      const mean = values.reduce((sum, value) => sum + value, 0) / length;
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / length;
      const width = deviations * Math.sqrt(variance);
      return [values, [mean, mean + width, mean - width]];
    },
  });
}

/** Bought less sold size of each bar. */
function delta(coin: string): Indicator {
  return indicator({
    name: 'delta',
    title: `Delta, ${coin}`,
    isOverlay: false,
    lines: [{ name: 'Delta', color: '--series-1', isColumns: true }],
    text: (value) => compact(value, 1),
    start: undefined,
    step: (state: undefined, bar: Bar) => [state, [Number.isNaN(bar.delta) ? undefined : bar.delta]],
  });
}

/**
 * The indicator of a text of the address, where it is computed from bars alone. `earlier` are the bars before the first
 * one, as far as it needs them.
 */
export function moreIndicator(
  text: string,
  coin: string,
  anchorTs: number,
  earlier: EarlierBars,
): Indicator | undefined {
  const choice = parseChoice(text);
  if (!choice) return undefined;
  if (choice.kind === 'vwap') return vwap(text, choice, earlier);
  if (choice.kind === 'avwap') return anchoredVwap(text, choice, anchorTs, earlier);
  if (choice.kind === 'ema') return ema(text, choice);
  if (choice.kind === 'bollinger') return bollinger(text, choice);
  return choice.kind === 'delta' ? delta(coin) : oscillators[choice.kind]?.(text, choice);
}
