import { candleIntervalsMs, HOUR_MS, MINUTE_MS } from '@crosstape/core';
import { choice, defaulted } from '../../../http/parameter.ts';

const SECOND_MS = 1_000;

/** The lengths of bars that can be followed. */
export const intervalsMs = {
  '1s': SECOND_MS,
  '5s': 5 * SECOND_MS,
  '15s': 15 * SECOND_MS,
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '4h': 4 * HOUR_MS,
  '1d': 24 * HOUR_MS,
} as const;
export type Interval = keyof typeof intervalsMs;
export const intervals = Object.keys(intervalsMs) as [Interval, ...Interval[]];

/** Lengths of candles: those of `/candles`, and of seconds. */
export const candleLengthsMs = {
  '1s': SECOND_MS,
  '5s': 5 * SECOND_MS,
  '15s': 15 * SECOND_MS,
  ...candleIntervalsMs,
} as const;
export type CandleLength = keyof typeof candleLengthsMs;
export const candleLengths = Object.keys(candleLengthsMs) as [CandleLength, ...CandleLength[]];

/** The parameter of the channel of candles. */
export const candleLength = defaulted(
  choice(candleLengths, {
    description: 'Length of a candle. Days begin at 00:00 UTC, weeks on Monday.',
  }),
  '1m',
);

/** The parameter of the channel of footprints. */
export const interval = defaulted(choice(intervals, { description: 'Length of a bar.' }), '1m');
