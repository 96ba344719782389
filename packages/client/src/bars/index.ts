export {
  allowedText,
  type BarParam,
  barAt,
  barKinds,
  candleIntervalsMs,
  Footprint,
  intervalStart,
  type ResultPack,
  validateSpec,
} from '@crosstape/core';
export { BuildFailed, type BuildOptions, type BuildSpec, buildBars, readBars } from './build-bars.ts';
export { createDatafeed, type DatafeedMark } from './datafeed.ts';
export type { DatafeedBar, DatafeedPeriod } from './datafeed-history.ts';
export type { DatafeedSymbol } from './datafeed-symbol.ts';
export { candleBar, type CandleSpec, liveCandles } from './live-candles.ts';
export { type LiveBars, liveBars } from './live-bars.ts';
export { columnsOf } from './trade-columns.ts';
export { type FootprintSpec, liveFootprints } from './live-footprints.ts';
