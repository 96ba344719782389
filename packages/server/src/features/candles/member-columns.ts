import { type Candle, decimalOf, emptyCandle, scaleWhole, type Whole } from '@crosstape/core';
import { type CandlePart, eachCandleOf } from './candle-parts.ts';

/** Rate that notionals of a candle are multiplied by. */
type RateOf = (ts: number) => number;

/** Sums that a number does not hold exactly. */
interface LargeSums {
  readonly volume: Whole;
  readonly buyVolume?: Whole;
  readonly notional?: Whole;
}

const NUMBERS = [
  'ts',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'buyVolume',
  'notional',
  'trades',
  'buyTrades',
  'liqLong',
  'liqShort',
] as const satisfies (keyof Candle)[];
type Columns = Readonly<Record<(typeof NUMBERS)[number], Float64Array>>;

/**
 * Candles of a market as columns, oldest first. An aggregate reads 140,000 candles: as objects, the garbage
 * collector would copy them several times.
 */
export class MemberColumns {
  readonly length: number;
  readonly #columns: Columns;
  readonly #priceDecimals: Uint8Array;
  readonly #sizeDecimals: Uint8Array;
  /** 1 for candles of the venue. */
  readonly #isOfVenue: Uint8Array;
  readonly #large = new Map<number, LargeSums>();
  /** Filled again for each candle that is read. */
  readonly #candle = emptyCandle({ priceDecimals: 0, sizeDecimals: 0 });

  /** With `recordedOnly`, candles of the venue are left out. */
  constructor(parts: readonly CandlePart[], rateOf: RateOf, recordedOnly = false) {
    const capacity = parts.reduce((sum, { length }) => sum + length, 0);
    const all = new Float64Array(NUMBERS.length * capacity);
    const column = (i: number): Float64Array => all.subarray(i * capacity, (i + 1) * capacity);
    this.#columns = Object.fromEntries(NUMBERS.map((name, i) => [name, column(i)])) as Columns;
    this.#priceDecimals = new Uint8Array(capacity);
    this.#sizeDecimals = new Uint8Array(capacity);
    this.#isOfVenue = new Uint8Array(capacity);
    let length = 0;
    for (const part of parts)
      eachCandleOf(part, (candle) => {
        if (recordedOnly && candle.origin === 'venue') return;
        this.#set(length, candle, rateOf(candle.ts));
        length += 1;
      });
    this.length = length;
  }

  /** Start of a candle; Infinity after the last. */
  ts(i: number): number {
    return i < this.length ? this.#columns.ts[i]! : Infinity;
  }

  /** In coins. */
  get volume(): number {
    let sum = 0;
    for (let i = 0; i < this.length; i += 1)
      sum += decimalOf(this.#large.get(i)?.volume ?? this.#columns.volume[i]!, this.#sizeDecimals[i]!);
    return sum;
  }

  /** A candle, until the next is read. */
  read(i: number): Candle {
    const { ts, open, high, low, close, volume, buyVolume, notional, trades, buyTrades, liqLong, liqShort } =
      this.#columns;
    const candle = this.#candle;
    candle.ts = ts[i]!;
    candle.priceDecimals = this.#priceDecimals[i]!;
    candle.sizeDecimals = this.#sizeDecimals[i]!;
    candle.open = open[i]!;
    candle.high = high[i]!;
    candle.low = low[i]!;
    candle.close = close[i]!;
    candle.volume = volume[i]!;
    candle.buyVolume = known(buyVolume[i]!);
    candle.notional = known(notional[i]!);
    candle.trades = known(trades[i]!);
    candle.buyTrades = known(buyTrades[i]!);
    candle.liqLong = liqLong[i]!;
    candle.liqShort = liqShort[i]!;
    candle.origin = this.#isOfVenue[i] === 1 ? 'venue' : 'tape';
    const large = this.#large.size > 0 ? this.#large.get(i) : undefined;
    if (large) Object.assign(candle, large);
    return candle;
  }

  #set(i: number, candle: Candle, rate: number): void {
    const { ts, open, high, low, close, volume, buyVolume, notional, trades, buyTrades, liqLong, liqShort } =
      this.#columns;
    const usd =
      rate === 1 || candle.notional === undefined ? candle.notional : scaleWhole(candle.notional, rate);
    ts[i] = candle.ts;
    this.#priceDecimals[i] = candle.priceDecimals;
    this.#sizeDecimals[i] = candle.sizeDecimals;
    this.#isOfVenue[i] = candle.origin === 'venue' ? 1 : 0;
    open[i] = candle.open;
    high[i] = candle.high;
    low[i] = candle.low;
    close[i] = candle.close;
    volume[i] = Number(candle.volume);
    buyVolume[i] = Number(candle.buyVolume ?? Number.NaN);
    notional[i] = Number(usd ?? Number.NaN);
    trades[i] = candle.trades ?? Number.NaN;
    buyTrades[i] = candle.buyTrades ?? Number.NaN;
    liqLong[i] = candle.liqLong;
    liqShort[i] = candle.liqShort;
    const { volume: traded, buyVolume: bought } = candle;
    if (typeof traded === 'bigint' || typeof bought === 'bigint' || typeof usd === 'bigint')
      this.#large.set(i, {
        volume: traded,
        ...(bought !== undefined && { buyVolume: bought }),
        ...(usd !== undefined && { notional: usd }),
      });
  }
}

/** Absent figures are stored as NaN. */
function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}
