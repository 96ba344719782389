import {
  type Candle,
  CANDLE_COLUMNS,
  type CandleColumns,
  decimalOf,
  emptyCandle,
  scaleWhole,
  type Whole,
} from '@crosstape/core';
import { type CandlePart, eachCandleOf } from './candle-parts.ts';
import { ReadBlock } from './read-blocks.ts';

/** Rate that notionals of a candle are multiplied by. */
type RateOf = (ts: number) => number;

/** Sums that a number does not hold exactly. */
interface LargeSums {
  readonly volume: Whole;
  readonly buyVolume?: Whole;
  readonly notional?: Whole;
}

/**
 * Candles of recorded trades as columns, oldest first. An aggregate reads 140,000 candles: as objects, the garbage
 * collector would copy them several times.
 */
export class MemberColumns {
  readonly length: number;
  readonly #columns: CandleColumns;
  readonly #priceDecimals: Uint8Array;
  readonly #sizeDecimals: Uint8Array;
  readonly #large = new Map<number, LargeSums>();
  /** Filled again for each candle that is read. */
  readonly #candle = emptyCandle({ priceDecimals: 0, sizeDecimals: 0 });

  /** Leaves out candles of other origin. */
  constructor(parts: readonly CandlePart[], rateOf: RateOf) {
    const capacity = parts.reduce((sum, { length }) => sum + length, 0);
    const all = new Float64Array(CANDLE_COLUMNS.length * capacity);
    const column = (i: number): Float64Array => all.subarray(i * capacity, (i + 1) * capacity);
    this.#columns = Object.fromEntries(CANDLE_COLUMNS.map((name, i) => [name, column(i)])) as CandleColumns;
    this.#priceDecimals = new Uint8Array(capacity);
    this.#sizeDecimals = new Uint8Array(capacity);
    let length = 0;
    for (const part of parts) {
      const end = part instanceof ReadBlock ? this.#readBlock(part, length, rateOf) : undefined;
      if (end === undefined)
        eachCandleOf(part, (candle) => {
          if (candle.origin !== 'tape') return;
          this.#set(length, candle, rateOf(candle.ts));
          length += 1;
        });
      else length = end;
    }
    this.length = length;
  }

  /** Reads a block without an object for each candle; `undefined` if that cannot be done. */
  #readBlock(block: ReadBlock, start: number, rateOf: RateOf): number | undefined {
    const columns = this.#columns;
    const read = block.readInto(columns, start);
    if (!read) return undefined;
    const { end, priceDecimals, sizeDecimals } = read;
    this.#priceDecimals.fill(priceDecimals, start, end);
    this.#sizeDecimals.fill(sizeDecimals, start, end);
    for (let i = start; i < end; i += 1) {
      const rate = rateOf(columns.ts[i]!);
      if (rate === 1) continue;
      const usd = columns.notional[i]! * rate;
      if (usd > Number.MAX_SAFE_INTEGER) return undefined;
      columns.notional[i] = Math.round(usd);
    }
    return end;
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
