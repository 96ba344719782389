import { expect, it } from 'vitest';
import type { Bar } from '../../live/topic.ts';
import type { IndicatorValues } from './indicator.ts';
import { moreIndicator } from './more-indicators.ts';

/** Bars of a walk with trends in both directions. */
const bars = Array.from({ length: 90 }, (_, i): Bar => {
  const middle = 100 + 12 * Math.sin(i / 9) + 3 * Math.sin(i * 1.7);
  const [high, low] = [middle + 1 + (i % 4), middle - 1 - (i % 3)];
  const close = low + ((high - low) * ((i * 37) % 11)) / 10;
  return { openTs: i, closeTs: i, open: middle, high, low, close } as unknown as Bar;
});
const closes = bars.map(({ close }) => close);

/** Values of each bar, closed one by one. Each must equal its value while the bar was in progress. */
function valuesOf(text: string): readonly IndicatorValues[] {
  const run = moreIndicator(text, 'BTC', 0, [])!.run();
  return bars.map((bar) => {
    const open = run.peek(bar);
    expect(run.close(bar)).toEqual(open);
    return open;
  });
}

type Series = readonly (number | undefined)[];

/** Each value of a line against that of a definition over whole lists. */
function expectLine(rows: readonly IndicatorValues[], line: number, wanted: Series): void {
  expect(wanted.filter((value) => value !== undefined).length).toBeGreaterThan(20);
  for (const [i, value] of wanted.entries()) {
    const found = rows[i]?.[line];
    if (value === undefined) expect(found, `bar ${i}`).toBeUndefined();
    else expect(found, `bar ${i}`).toBeCloseTo(value, 8);
  }
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** The last `length` values up to a place; `undefined` if one of them is unknown. */
function window(values: Series, i: number, length: number): readonly number[] | undefined {
  const part = values.slice(Math.max(0, i + 1 - length), i + 1);
  const known = part.filter((value) => value !== undefined);
  return known.length === length ? known : undefined;
}

/** Smooths from the first known value on: the mean of `length` values, then by a share of the newest. */
function smooth(values: Series, length: number, share: number): Series {
  const first = values.findIndex((value) => value !== undefined);
  const result: (number | undefined)[] = [];
  for (const i of values.keys()) {
    if (i < first + length - 1) result.push(undefined);
    else if (i === first + length - 1) result.push(mean(window(values, i, length)!));
    else result.push(result[i - 1]! * (1 - share) + values[i]! * share);
  }
  return result;
}

const ema = (values: Series, length: number): Series => smooth(values, length, 2 / (length + 1));
const sma = (values: Series, length: number): Series =>
  values.map((_, i) => {
    const part = window(values, i, length);
    return part && mean(part);
  });
const less = (a: Series, b: Series): Series =>
  a.map((value, i) => (value === undefined || b[i] === undefined ? undefined : value - b[i]));

const ranges = bars.map(({ high, low }, i) => {
  const before = closes[i - 1];
  if (before === undefined) return high - low;
  return Math.max(high - low, Math.abs(high - before), Math.abs(low - before));
});

function rsi(length: number): Series {
  const changes = closes.map((close, i) => (i === 0 ? undefined : close - closes[i - 1]!));
  const part = (sign: number): Series =>
    smooth(
      changes.map((change) => (change === undefined ? undefined : Math.max(0, sign * change))),
      length,
      1 / length,
    );
  const [gains, losses] = [part(1), part(-1)];
  return gains.map((gain, i) => (gain === undefined ? undefined : 100 - 100 / (1 + gain / losses[i]!)));
}

/** Places of values in the range of some, in percent. */
const places = (values: Series, lows: Series, highs: Series, length: number): Series =>
  values.map((value, i) => {
    const [low, high] = [window(lows, i, length), window(highs, i, length)];
    if (!low || !high || value === undefined) return undefined;
    return (100 * (value - Math.min(...low))) / (Math.max(...high) - Math.min(...low));
  });

it('MACD is the difference of two EMAs, with an EMA of it and their distance', () => {
  const rows = valuesOf('macd_5_12_4');
  const line = less(ema(closes, 5), ema(closes, 12));
  const signal = ema(line, 4);
  expectLine(rows, 1, line);
  expectLine(rows, 2, signal);
  expectLine(rows, 0, less(line, signal));
});

it('ATR is the true range, smoothed by Wilder; gaps to the previous close count', () => {
  expectLine(valuesOf('atr_7'), 0, smooth(ranges, 7, 1 / 7));
});

it('RSI is 100 less 100 over 1 plus the ratio of mean gains and losses', () => {
  expectLine(valuesOf('rsi_9'), 0, rsi(9));
});

it('stochastics are places within a range, each line a mean of the previous one', () => {
  const [lows, highs] = [bars.map(({ low }) => low), bars.map(({ high }) => high)];
  const k = sma(places(closes, lows, highs, 10), 4);
  const rows = valuesOf('stoch_10_4_5');
  expectLine(rows, 0, k);
  expectLine(rows, 1, sma(k, 5));
  const strengths = rsi(8);
  const ofRsi = sma(places(strengths, strengths, strengths, 8), 3);
  const others = valuesOf('stochrsi_8');
  expectLine(others, 0, ofRsi);
  expectLine(others, 1, sma(ofRsi, 3));
});

it('Supertrend moves only towards the price, and changes sides when the close crosses it', () => {
  const [length, times] = [5, 1.5];
  const atr = smooth(ranges, length, 1 / length);
  const wanted: (number | undefined)[] = [];
  let [upper, lower, line] = [NaN, NaN, NaN];
  for (const [i, { high, low, close }] of bars.entries()) {
    const range = atr[i];
    if (range === undefined) {
      wanted.push(undefined);
      continue;
    }
    const [above, below] = [(high + low) / 2 + times * range, (high + low) / 2 - times * range];
    const [wasUpper, before] = [upper, closes[i - 1]!];
    upper = above < upper || before > upper || Number.isNaN(upper) ? above : upper;
    lower = below > lower || before < lower || Number.isNaN(lower) ? below : lower;
    if (Number.isNaN(line) || line === wasUpper) line = close > upper ? lower : upper;
    else line = close < lower ? upper : lower;
    wanted.push(line);
  }
  expectLine(valuesOf(`supertrend_${length}_${times}`), 0, wanted);
  const sides = wanted.map((value, i) => value !== undefined && value < closes[i]!);
  expect(sides.filter((side, i) => side !== sides[i - 1]).length).toBeGreaterThan(3);
});
