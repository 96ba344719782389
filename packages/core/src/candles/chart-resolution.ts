import type { CandleInterval } from './candle-interval.ts';

/** Resolutions of charts, as TradingView writes them, and the candles behind them. */
const intervals: Readonly<Record<string, CandleInterval>> = {
  '1': '1m',
  '3': '3m',
  '5': '5m',
  '15': '15m',
  '30': '30m',
  '60': '1h',
  '120': '2h',
  '240': '4h',
  '360': '6h',
  '480': '8h',
  '720': '12h',
  '1D': '1d',
  '1W': '1w',
};
/** Resolutions of seconds, in ms: their bars are made from trades. */
const secondsMs: Readonly<Record<string, number>> = { '1S': 1_000, '5S': 5_000, '15S': 15_000 };

const ofCandles = Object.keys(intervals);
const ofMarkets = [...Object.keys(secondsMs), ...ofCandles];

/** The resolutions of a symbol. Bars that are not time-based have unique times in whole seconds. */
export const chartResolutions = {
  market: ofMarkets,
  aggregate: ofCandles,
  bars: ['1S'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A resolution as charts spell it: `D` is `1D`. */
export function resolutionName(text: string): string {
  const name = text.toUpperCase();
  return ['D', 'W', 'S'].includes(name) ? `1${name}` : name;
}

/** What a resolution of `chartResolutions` shows of a market: candles, or bars of this many ms from trades. */
export function shownAt(
  resolution: string,
): { readonly interval: CandleInterval } | { readonly intervalMs: number } | undefined {
  const interval = intervals[resolution];
  if (interval) return { interval };
  const intervalMs = secondsMs[resolution];
  return intervalMs === undefined ? undefined : { intervalMs };
}
