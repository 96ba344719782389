import { price } from '../../format/numbers.ts';
import type { Bar } from '../../live/topic.ts';
import { barPrices, sourceText } from './bar-prices.ts';
import { type Indicator, indicator, type IndicatorValues } from './indicator.ts';
import type { IndicatorChoice } from './indicator-choice.ts';
import { colorToken } from './line-colors.ts';
import { exponential, type Mean, meanOf, newest, noMean, wilder } from './smoothing.ts';

const decimal = (value: number): string => value.toFixed(1);

/** Moving average convergence and divergence: two EMAs, an EMA of their difference, and how far these are apart. */
function macd(
  name: string,
  { length = 12, slow = 26, signal = 9, source = 'close', color = 1 }: IndicatorChoice,
): Indicator {
  const priceOf = barPrices[source];
  return indicator({
    name,
    title: `MACD ${length}, ${slow}, ${signal}${sourceText(source)}`,
    label: 'MACD',
    isOverlay: false,
    lines: [
      { name: 'Histogram', color: '--series-7', isColumns: true },
      { name: 'MACD', color: colorToken(color), isMain: true },
      { name: 'Signal', color: '--series-6' },
    ],
    text: (value) => price(value),
    start: { quick: noMean, slow: noMean, signal: noMean },
    step(before, bar) {
      const now = priceOf(bar);
      const next = {
        ...before,
        quick: exponential(before.quick, now, length),
        slow: exponential(before.slow, now, slow),
      };
      if (next.quick.count < length || next.slow.count < slow) return [next, []];
      const value = next.quick.mean - next.slow.mean;
      next.signal = exponential(before.signal, value, signal);
      const line = next.signal.count < signal ? undefined : next.signal.mean;
      return [next, [line === undefined ? undefined : value - line, value, line]];
    },
  });
}

interface Range extends Mean {
  readonly close: number;
}

const noRange: Range = { ...noMean, close: NaN };

/** Average true range: the range of a bar, with the previous close, smoothed by Wilder. */
function trueRange(before: Range, { high, low, close }: Bar, length: number): Range {
  const known = Number.isNaN(before.close) ? [] : [before.close];
  const range = Math.max(high, ...known) - Math.min(low, ...known);
  return { ...wilder(before, range, length), close };
}

function atr(name: string, { length = 14, color = 9 }: IndicatorChoice): Indicator {
  return indicator({
    name,
    title: `ATR ${length}`,
    isOverlay: false,
    lines: [{ name: 'ATR', color: colorToken(color) }],
    text: (value) => price(value),
    start: noRange,
    step(before, bar) {
      const next = trueRange(before, bar, length);
      return [next, [next.count < length ? undefined : next.mean]];
    },
  });
}

interface Lines {
  readonly raw: readonly number[];
  readonly quick: readonly number[];
}

const noLines: Lines = { raw: [], quick: [] };

/** %K and %D of a place within a range, in percent: each is a mean of the previous one. */
function smoothed(
  { raw, quick }: Lines,
  value: number,
  { smooth = 3, signal = 3 }: IndicatorChoice,
): readonly [Lines, IndicatorValues] {
  const next = newest(raw, value, smooth);
  const k = meanOf(next, smooth);
  if (k === undefined) return [{ raw: next, quick }, []];
  const known = newest(quick, k, signal);
  return [{ raw: next, quick: known }, [k, meanOf(known, signal)]];
}

/** Where a value is between two others, in percent. */
function placeIn(value: number, low: number, high: number): number {
  return high > low ? (100 * (value - low)) / (high - low) : 50;
}

/** Stochastic oscillator: where the close is within the range of some bars. */
function stochastic(name: string, choice: IndicatorChoice): Indicator {
  const { length = 14, smooth = 3, signal = 3, color = 1 } = choice;
  return indicator({
    name,
    title: `Stochastic ${length}, ${smooth}, ${signal}`,
    label: 'Stoch',
    isOverlay: false,
    lines: [
      { name: '%K', color: colorToken(color) },
      { name: '%D', color: '--series-6' },
    ],
    marks: [20, 80],
    text: decimal,
    start: { highs: [] as readonly number[], lows: [] as readonly number[], lines: noLines },
    step(before, { high, low, close }) {
      const highs = newest(before.highs, high, length);
      const lows = newest(before.lows, low, length);
      if (highs.length < length) return [{ ...before, highs, lows }, []];
      const place = placeIn(close, Math.min(...lows), Math.max(...highs));
      const [lines, values] = smoothed(before.lines, place, choice);
      return [{ highs, lows, lines }, values];
    },
  });
}

interface Gains {
  readonly before: number;
  readonly gain: Mean;
  readonly loss: Mean;
}

/** A step of the relative strength index by Wilder, and its value. */
function strength(
  known: Gains | undefined,
  now: number,
  length: number,
): readonly [Gains, number | undefined] {
  if (!known) return [{ before: now, gain: noMean, loss: noMean }, undefined];
  const change = now - known.before;
  const gain = wilder(known.gain, Math.max(0, change), length);
  const loss = wilder(known.loss, Math.max(0, -change), length);
  const sum = gain.mean + loss.mean;
  const value = gain.count < length ? undefined : sum === 0 ? 50 : (100 * gain.mean) / sum;
  return [{ before: now, gain, loss }, value];
}

/** Relative strength index by Wilder. */
function rsi(name: string, { length = 14, source = 'close', color = 5 }: IndicatorChoice): Indicator {
  const priceOf = barPrices[source];
  return indicator<Gains | undefined>({
    name,
    title: `RSI ${length}${sourceText(source)}`,
    isOverlay: false,
    lines: [{ name: 'RSI', color: colorToken(color) }],
    marks: [30, 70],
    text: decimal,
    start: undefined,
    step(known, bar) {
      const [next, value] = strength(known, priceOf(bar), length);
      return [next, [value]];
    },
  });
}

/** Stochastic of the RSI: where the RSI is within its own range of some bars. */
function stochasticRsi(name: string, choice: IndicatorChoice): Indicator {
  const { length = 14, smooth = 3, signal = 3, source = 'close', color = 4 } = choice;
  const priceOf = barPrices[source];
  return indicator({
    name,
    title: `Stochastic RSI ${length}, ${smooth}, ${signal}${sourceText(source)}`,
    label: 'StochRSI',
    isOverlay: false,
    lines: [
      { name: '%K', color: colorToken(color) },
      { name: '%D', color: '--series-6' },
    ],
    marks: [20, 80],
    text: decimal,
    start: { gains: undefined as Gains | undefined, window: [] as readonly number[], lines: noLines },
    step(before, bar) {
      const [gains, value] = strength(before.gains, priceOf(bar), length);
      if (value === undefined) return [{ ...before, gains }, []];
      const window = newest(before.window, value, length);
      if (window.length < length) return [{ ...before, gains, window }, []];
      const place = placeIn(value, Math.min(...window), Math.max(...window));
      const [lines, values] = smoothed(before.lines, place, choice);
      return [{ gains, window, lines }, values];
    },
  });
}

interface Trend {
  readonly range: Range;
  readonly upper: number;
  readonly lower: number;
  readonly isRising: boolean;
}

/**
 * Supertrend: a band of some average true ranges around the middle of a bar, which only moves towards the price, until
 * the close crosses it.
 */
function supertrend(name: string, { length = 10, deviations = 3 }: IndicatorChoice): Indicator {
  return indicator<Trend>({
    name,
    title: `Supertrend ${length}, ${deviations}`,
    isOverlay: true,
    lines: [{ name: `Supertrend ${length}, ${deviations}`, color: '--text', isTrend: true }],
    text: (value) => price(value),
    start: { range: noRange, upper: NaN, lower: NaN, isRising: false },
    step(before, bar) {
      const range = trueRange(before.range, bar, length);
      if (range.count < length) return [{ ...before, range }, []];
      const [middle, far] = [(bar.high + bar.low) / 2, deviations * range.mean];
      const previous = before.range.close;
      const stays = { upper: previous <= before.upper, lower: previous >= before.lower };
      const upper = stays.upper ? Math.min(middle + far, before.upper) : middle + far;
      const lower = stays.lower ? Math.max(middle - far, before.lower) : middle - far;
      const isRising = before.isRising ? bar.close >= lower : bar.close > upper;
      return [{ range, upper, lower, isRising }, [isRising ? lower : upper]];
    },
  });
}

/** Indicators of momentum and range, by their kind. */
export const oscillators: Readonly<Record<string, (name: string, choice: IndicatorChoice) => Indicator>> = {
  macd,
  atr,
  stoch: stochastic,
  stochrsi: stochasticRsi,
  supertrend,
  rsi,
};
