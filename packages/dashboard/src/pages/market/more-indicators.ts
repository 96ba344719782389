import { compact, price } from '../../format/numbers.ts';
import type { Bar } from '../../live/topic.ts';
import { type Indicator, indicator } from './indicator.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The first Monday of Unix time. */
const MONDAY_MS = 4 * DAY_MS;

interface Moments {
  readonly period: number;
  readonly usd: number;
  readonly volume: number;
}

/** Volume-weighted average price since the beginning of a period; none before the first. */
function averagePrice(
  look: Pick<Indicator, 'name' | 'title' | 'lines'>,
  periodOf: (ts: number) => number | undefined,
): Indicator {
  return indicator<Moments>({
    ...look,
    isOverlay: true,
    text: (value) => price(value),
    start: { period: NaN, usd: 0, volume: 0 },
    step(before, { openTs, notionalUsd, volume, high, low, close }) {
      const period = periodOf(openTs);
      if (period === undefined) return [before, [undefined]];
      const from = before.period === period ? before : { usd: 0, volume: 0 };
      const next = {
        period,
        usd: from.usd + (Number.isNaN(notionalUsd) ? ((high + low + close) / 3) * volume : notionalUsd),
        volume: from.volume + volume,
      };
      return [next, [next.volume > 0 ? next.usd / next.volume : undefined]];
    },
  });
}

const vwap = averagePrice(
  { name: 'vwap', title: 'VWAP of the day', lines: [{ name: 'VWAP', color: '--series-3' }] },
  (ts) => Math.floor(ts / DAY_MS),
);

/** Since a bar; 0: since the last Monday 00:00 UTC. */
export function anchoredVwap(anchorTs: number): Indicator {
  return averagePrice(
    {
      name: 'avwap',
      title: 'Anchored VWAP',
      lines: [{ name: 'AVWAP', color: '--series-6', isDashed: true }],
    },
    (ts) => {
      if (anchorTs === 0) return Math.floor((ts - MONDAY_MS) / WEEK_MS);
      return ts >= anchorTs ? 0 : undefined;
    },
  );
}

/** Exponential moving average of closes; it begins as the mean of the first `length`. */
export function ema(length: number, color: string): Indicator {
  return indicator({
    name: `ema${length}`,
    title: `EMA ${length}`,
    isOverlay: true,
    lines: [{ name: `EMA ${length}`, color }],
    text: (value) => price(value),
    start: { count: 0, mean: 0 },
    step(before, { close }) {
      const count = Math.min(length, before.count + 1);
      const share = before.count < length ? 1 / count : 2 / (length + 1);
      const mean = before.mean + (close - before.mean) * share;
      return [{ count, mean }, [count < length ? undefined : mean]];
    },
  });
}

const BAND_BARS = 20;
const BAND_DEVIATIONS = 2;

/** Bollinger bands: mean of 20 closes, and two standard deviations on either side. */
export const bollinger = indicator<readonly number[]>({
  name: 'bollinger',
  title: 'Bollinger bands 20, 2',
  isOverlay: true,
  lines: [
    { name: 'BB mid', color: '--series-7', isDashed: true },
    { name: 'BB high', color: '--series-8' },
    { name: 'BB low', color: '--series-8' },
  ],
  text: (value) => price(value),
  start: [],
  step(before, { close }) {
    const closes = [...before.slice(1 - BAND_BARS), close];
    if (closes.length < BAND_BARS) return [closes, []];
    const mean = closes.reduce((sum, value) => sum + value, 0) / BAND_BARS;
    const variance = closes.reduce((sum, value) => sum + (value - mean) ** 2, 0) / BAND_BARS;
    const width = BAND_DEVIATIONS * Math.sqrt(variance);
    return [closes, [mean, mean + width, mean - width]];
  },
});

const RSI_BARS = 14;

interface Strength {
  readonly close: number;
  readonly count: number;
  readonly gain: number;
  readonly loss: number;
}

/** Relative strength index by Wilder, 14 bars. */
export const rsi = indicator<Strength | undefined>({
  name: 'rsi',
  title: 'RSI 14',
  isOverlay: false,
  lines: [{ name: 'RSI', color: '--series-5' }],
  marks: [30, 70],
  text: (value) => value.toFixed(1),
  start: undefined,
  step(before, { close }) {
    if (!before) return [{ close, count: 0, gain: 0, loss: 0 }, [undefined]];
    const count = Math.min(RSI_BARS, before.count + 1);
    const change = close - before.close;
    const gain = before.gain + (Math.max(0, change) - before.gain) / count;
    const loss = before.loss + (Math.max(0, -change) - before.loss) / count;
    const value = gain + loss === 0 ? 50 : (100 * gain) / (gain + loss);
    return [{ close, count, gain, loss }, [count < RSI_BARS ? undefined : value]];
  },
});

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

/** What is loaded when it is first chosen. */
export function moreIndicators(coin: string, anchorTs: number): readonly Indicator[] {
  return [
    vwap,
    anchoredVwap(anchorTs),
    ema(20, '--series-1'),
    ema(50, '--series-4'),
    ema(200, '--series-6'),
    bollinger,
    delta(coin),
    rsi,
  ];
}
