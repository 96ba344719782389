import { tenTo } from '../decimal.ts';
import { addWhole, decimalOf, shiftWhole, type Whole } from './whole.ts';
import { WholeSum } from './whole-sum.ts';

/** Where a candle comes from: recorded trades, or the venue's own candles. */
export type CandleOrigin = 'tape' | 'venue';

/** Liquidated notional is kept in whole numbers of 10^-6 dollars. */
export const LIQUIDATED_DECIMALS = 6;

/**
 * The trades of one interval, exactly: prices are integers of 10^-`priceDecimals`, volumes of 10^-`sizeDecimals`, the
 * notional of 10^-(both). Figures that a venue does not report of its own candles are absent or `undefined`.
 */
export interface Candle {
  /** Start of the interval in ms. */
  ts: number;
  priceDecimals: number;
  sizeDecimals: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: Whole;
  buyVolume?: Whole | undefined;
  notional?: Whole | undefined;
  trades?: number | undefined;
  buyTrades?: number | undefined;
  liqLong: number;
  liqShort: number;
  origin: CandleOrigin;
}

/** A candle as it is served. */
export interface CandleRow {
  readonly ts: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** In coins. */
  readonly volume: number;
  readonly buyVolume?: number;
  /** Price × size in the currency of the prices. */
  readonly notionalUsd?: number;
  readonly trades?: number;
  readonly buyTrades?: number;
  readonly liqLongUsd: number;
  readonly liqShortUsd: number;
  /** Whether no gap of the tape meets the interval; null for a venue's own candle. */
  readonly complete: boolean | null;
  readonly origin: CandleOrigin;
}

export function candleRow(candle: Candle, complete: boolean | null): CandleRow {
  const { priceDecimals, sizeDecimals, buyVolume, notional, trades, buyTrades } = candle;
  return {
    ts: candle.ts,
    open: decimalOf(candle.open, priceDecimals),
    high: decimalOf(candle.high, priceDecimals),
    low: decimalOf(candle.low, priceDecimals),
    close: decimalOf(candle.close, priceDecimals),
    volume: decimalOf(candle.volume, sizeDecimals),
    ...(buyVolume !== undefined && { buyVolume: decimalOf(buyVolume, sizeDecimals) }),
    ...(notional !== undefined && { notionalUsd: decimalOf(notional, priceDecimals + sizeDecimals) }),
    ...(trades !== undefined && { trades }),
    ...(buyTrades !== undefined && { buyTrades }),
    liqLongUsd: decimalOf(candle.liqLong, LIQUIDATED_DECIMALS),
    liqShortUsd: decimalOf(candle.liqShort, LIQUIDATED_DECIMALS),
    complete,
    origin: candle.origin,
  };
}

/** Converts to more decimals, if the given ones are more than the candle's. */
export function refine(candle: Candle, priceDecimals: number, sizeDecimals: number): void {
  const morePrice = Math.max(0, priceDecimals - candle.priceDecimals);
  const moreSize = Math.max(0, sizeDecimals - candle.sizeDecimals);
  if (morePrice + moreSize === 0) return;
  const perPrice = 10 ** morePrice;
  candle.open *= perPrice;
  candle.high *= perPrice;
  candle.low *= perPrice;
  candle.close *= perPrice;
  candle.volume = shiftWhole(candle.volume, moreSize);
  if (candle.buyVolume !== undefined) candle.buyVolume = shiftWhole(candle.buyVolume, moreSize);
  if (candle.notional !== undefined) candle.notional = shiftWhole(candle.notional, morePrice + moreSize);
  candle.priceDecimals += morePrice;
  candle.sizeDecimals += moreSize;
}

/** Extends a candle by a later one of the same market. A figure that either lacks is absent from the sum. */
export function extendCandle(candle: Candle, later: Candle): void {
  let next = later;
  if (candle.priceDecimals !== later.priceDecimals || candle.sizeDecimals !== later.sizeDecimals) {
    next = { ...later };
    refine(candle, next.priceDecimals, next.sizeDecimals);
    refine(next, candle.priceDecimals, candle.sizeDecimals);
  }
  candle.high = Math.max(candle.high, next.high);
  candle.low = Math.min(candle.low, next.low);
  candle.close = next.close;
  addFlow(candle, next);
  if (next.origin === 'venue') candle.origin = 'venue';
}

/** Reused: sums are taken before the next one begins. */
const sums = { volume: new WholeSum(), buyVolume: new WholeSum(), notional: new WholeSum() };

/**
 * Volumes and counts of markets at the same time, added, with the prices of `prices`, which may be one of them. A figure
 * that any of them lacks is absent from the sum. It is of the venues as soon as one of them is.
 */
export function sumMarkets(prices: Candle, markets: readonly (Candle | undefined)[]): Candle {
  let { priceDecimals, sizeDecimals } = prices;
  for (const candle of markets) {
    if (!candle) continue;
    priceDecimals = Math.max(priceDecimals, candle.priceDecimals);
    sizeDecimals = Math.max(sizeDecimals, candle.sizeDecimals);
  }
  let trades: number | undefined = 0;
  let buyTrades: number | undefined = 0;
  let liqLong = 0;
  let liqShort = 0;
  let origin: CandleOrigin = 'tape';
  for (const candle of markets) {
    if (!candle) continue;
    if (candle.origin === 'venue') origin = 'venue';
    const moreSize = sizeDecimals - candle.sizeDecimals;
    sums.volume.add(candle.volume, moreSize);
    sums.buyVolume.add(candle.buyVolume, moreSize);
    sums.notional.add(candle.notional, priceDecimals - candle.priceDecimals + moreSize);
    trades = plus(trades, candle.trades);
    buyTrades = plus(buyTrades, candle.buyTrades);
    liqLong += candle.liqLong;
    liqShort += candle.liqShort;
  }
  const perPrice = tenTo(priceDecimals - prices.priceDecimals);
  return {
    ts: prices.ts,
    priceDecimals,
    sizeDecimals,
    open: prices.open * perPrice,
    high: prices.high * perPrice,
    low: prices.low * perPrice,
    close: prices.close * perPrice,
    volume: sums.volume.take() ?? 0,
    buyVolume: sums.buyVolume.take(),
    notional: sums.notional.take(),
    trades,
    buyTrades,
    liqLong,
    liqShort,
    origin,
  };
}

function plus(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

/** Adds volumes and counts, which have at most as many decimals. */
function addFlow(candle: Candle, other: Candle): void {
  const moreSize = candle.sizeDecimals - other.sizeDecimals;
  const more = candle.priceDecimals - other.priceDecimals + moreSize;
  candle.volume = addWhole(candle.volume, shiftWhole(other.volume, moreSize));
  candle.buyVolume = sumOf(candle.buyVolume, other.buyVolume, moreSize);
  candle.notional = sumOf(candle.notional, other.notional, more);
  candle.trades = sumOf(candle.trades, other.trades, 0) as number | undefined;
  candle.buyTrades = sumOf(candle.buyTrades, other.buyTrades, 0) as number | undefined;
  candle.liqLong += other.liqLong;
  candle.liqShort += other.liqShort;
}

function sumOf(a: Whole | undefined, b: Whole | undefined, zeros: number): Whole | undefined {
  return a === undefined || b === undefined ? undefined : addWhole(a, shiftWhole(b, zeros));
}
