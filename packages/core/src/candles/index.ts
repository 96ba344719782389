export {
  type Candle,
  type CandleOrigin,
  type CandleRow,
  candleRow,
  LIQUIDATED_DECIMALS,
  sumMarkets,
} from './candle.ts';
export {
  BadBlock,
  type CandleBlock,
  decodeBlock,
  eachCandle,
  emptyCandle,
  encodeBlock,
  readBlockHeader,
} from './candle-block.ts';
export { type JoinedBlocks, joinBlocks, splitBlocks } from './joined-blocks.ts';
export { CandleFold, foldCandles, foldInto } from './candle-fold.ts';
export { decimalOf, scaleWhole, type Whole } from './whole.ts';
export { type CandleInterval, candleIntervals, candleIntervalsMs, intervalStart } from './candle-interval.ts';
export { chartResolutions, resolutionName, shownAt } from './chart-resolution.ts';
export { type CandleFigure, type VenueCandle, venueCandles } from './venue-candle.ts';
