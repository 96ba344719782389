import { exactDecimal, type ExactDecimal, powerOfTen } from '../bars/exact-decimal.ts';
import { coinUnitsOf, type MarketUnits, sizeFactorOf } from '../market-units.ts';
import type { Candle } from './candle.ts';
import { type Whole, wholeOf } from './whole.ts';

/** A figure of a candle. `prices` are open, high, low and close; `notional` is the value in the quote currency. */
export type CandleFigure = 'prices' | 'volume' | 'buyVolume' | 'notional' | 'trades';

/**
 * A candle as its venue reports it, in the venue's own units. Sums are decimal text, because they may have more digits
 * than a number. Figures that the venue does not report are absent.
 */
export interface VenueCandle {
  /** Start of the interval in ms. */
  readonly ts: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** In the unit of the sizes of the venue's trades. */
  readonly volume: string;
  /** Volume of buying takers. */
  readonly buyVolume?: string;
  /** Price × size in the quote currency. */
  readonly notional?: string;
  readonly trades?: number;
}

/** Maximum decimals of prices and volumes of a candle. */
const DECIMALS_MAX = 18;
const NO_UNITS: MarketUnits = { contractSize: 1, scale: 1 };

/**
 * Candles of a venue in coins, with common decimals. Volumes are exact; a notional with more decimals than prices and
 * volumes together is rounded. Throws a RangeError for prices that no candle can hold.
 */
export function venueCandles(rows: readonly VenueCandle[], units: MarketUnits = NO_UNITS): Candle[] {
  const coins = coinUnitsOf(units);
  const factor = sizeFactorOf(units);
  const read = rows.map((row) => ({
    row,
    prices: [row.open, row.high, row.low, row.close].map((value) => exactDecimal(coins.price(value))),
    volume: times(decimalText(row.volume), factor),
    buyVolume: row.buyVolume === undefined ? undefined : times(decimalText(row.buyVolume), factor),
  }));
  const priceDecimals = most(read.flatMap(({ prices }) => prices));
  const sizeDecimals = most(
    read.flatMap(({ volume, buyVolume }) => (buyVolume ? [volume, buyVolume] : [volume])),
  );
  return read.map(({ row, prices, volume, buyVolume }) => {
    const [open = 0, high = 0, low = 0, close = 0] = prices.map((value) => {
      const whole = roundAt(value, priceDecimals);
      if (whole > Number.MAX_SAFE_INTEGER) throw new RangeError(`a price of ${row.ts} is above 2^53`);
      return Number(whole);
    });
    const candle: Candle = {
      ts: row.ts,
      priceDecimals,
      sizeDecimals,
      open,
      high: Math.max(open, high, low, close),
      low: Math.min(open, high, low, close),
      close,
      volume: wholeAt(volume, sizeDecimals),
      liqLong: 0,
      liqShort: 0,
      origin: 'venue',
    };
    if (buyVolume) candle.buyVolume = wholeAt(buyVolume, sizeDecimals);
    if (row.notional !== undefined)
      candle.notional = wholeAt(decimalText(row.notional), priceDecimals + sizeDecimals);
    if (row.trades !== undefined) candle.trades = row.trades;
    return candle;
  });
}

/** A plain decimal text, exact and without trailing zeros. */
function decimalText(text: string): ExactDecimal {
  const [whole = '', fraction = ''] = text.split('.');
  const used = fraction.replace(/0+$/, '');
  return { digits: BigInt(whole + used), decimals: used.length };
}

function times(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  let digits = a.digits * b.digits;
  let decimals = a.decimals + b.decimals;
  for (; decimals > 0 && digits % 10n === 0n; digits /= 10n) decimals -= 1;
  return decimals < 0 ? { digits: digits * powerOfTen(-decimals), decimals: 0 } : { digits, decimals };
}

function most(values: readonly ExactDecimal[]): number {
  return Math.min(DECIMALS_MAX, Math.max(0, ...values.map(({ decimals }) => decimals)));
}

/** The nearest whole number of 10^-`decimals`. */
function roundAt({ digits, decimals: from }: ExactDecimal, decimals: number): bigint {
  if (decimals >= from) return digits * powerOfTen(decimals - from);
  const unit = powerOfTen(from - decimals);
  return (digits + unit / 2n) / unit;
}

function wholeAt(value: ExactDecimal, decimals: number): Whole {
  return wholeOf(roundAt(value, decimals));
}
