import type { TickColumns } from '../ticks/tick-columns.ts';
import { type Candle, extendCandle, refine } from './candle.ts';
import { intervalStart } from './candle-interval.ts';
import { scaleWhole, wholeOf } from './whole.ts';

/** Folds trades, in the order of the tape, into candles of one interval. */
export class CandleFold {
  readonly #intervalMs: number;
  /** Candles that a later trade has closed. */
  readonly closed: Candle[] = [];
  #open: Candle | undefined;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** The candle of the newest trades. */
  get open(): Candle | undefined {
    return this.#open;
  }

  /** Adds the trades [from, to) of columns in coins. */
  add(columns: TickColumns, from = 0, to = columns.length): void {
    const { ts } = columns;
    for (let at = from; at < to; ) {
      const start = intervalStart(ts[at]!, this.#intervalMs);
      let end = at + 1;
      while (end < to && ts[end]! < start + this.#intervalMs) end += 1;
      const candle = candleOf(columns, at, end, start);
      if (this.#open && this.#open.ts === start) extendCandle(this.#open, candle);
      else {
        if (this.#open) this.closed.push(this.#open);
        this.#open = candle;
      }
      at = end;
    }
  }

  /** All candles, the open one included. */
  all(): readonly Candle[] {
    return this.#open ? [...this.closed, this.#open] : this.closed;
  }
}

/** The trades [from, to), at least one, as a candle. */
function candleOf(columns: TickColumns, from: number, to: number, start: number): Candle {
  const { price, size, isBuy, priceDecimals, sizeDecimals } = columns;
  let high = price[from]!;
  let low = high;
  let volume = 0;
  let buyVolume = 0;
  let notional = 0;
  let buyTrades = 0;
  for (let i = from; i < to; i += 1) {
    const p = price[i]!;
    const s = size[i]!;
    const bought = isBuy[i]!;
    high = Math.max(high, p);
    low = Math.min(low, p);
    volume += s;
    buyVolume += s * bought;
    notional += p * s;
    buyTrades += bought;
  }
  // Nothing is negative: a sum that ends below 2^53 was below it throughout, so no step was rounded.
  const isExact = volume <= Number.MAX_SAFE_INTEGER && notional <= Number.MAX_SAFE_INTEGER;
  return {
    ts: start,
    priceDecimals,
    sizeDecimals,
    open: price[from]!,
    high,
    low,
    close: price[to - 1]!,
    ...(isExact ? { volume, buyVolume, notional } : largeSums(columns, from, to)),
    trades: to - from,
    buyTrades,
    liqLong: 0,
    liqShort: 0,
    origin: 'tape',
  };
}

/** The same sums where one exceeds 2^53: slower, and exact as well. */
function largeSums({ price, size, isBuy }: TickColumns, from: number, to: number) {
  let volume = 0n;
  let buyVolume = 0n;
  let notional = 0n;
  for (let i = from; i < to; i += 1) {
    const s = BigInt(size[i]!);
    volume += s;
    if (isBuy[i] === 1) buyVolume += s;
    notional += BigInt(price[i]!) * s;
  }
  return { volume: wholeOf(volume), buyVolume: wholeOf(buyVolume), notional: wholeOf(notional) };
}

/** Folds candles of a smaller interval, oldest first, into a larger one. */
export function foldCandles(candles: Iterable<Candle>, intervalMs: number): Candle[] {
  const folded: Candle[] = [];
  for (const candle of candles) foldInto(folded, candle, intervalMs);
  return folded;
}

/** Adds a copy of a candle that is not older than those folded so far, its notional multiplied by `rate`. */
export function foldInto(folded: Candle[], candle: Candle, intervalMs: number, rate = 1): void {
  const copy = { ...candle };
  copy.ts = intervalStart(candle.ts, intervalMs);
  if (rate !== 1 && copy.notional !== undefined) copy.notional = scaleWhole(copy.notional, rate);
  const open = folded.at(-1);
  if (open && open.ts === copy.ts) extendCandle(open, copy);
  else folded.push(copy);
}

/** Candles with the same decimals; the given ones are not changed. */
export function withCommonDecimals(candles: readonly Candle[]): readonly Candle[] {
  const priceDecimals = Math.max(0, ...candles.map((candle) => candle.priceDecimals));
  const sizeDecimals = Math.max(0, ...candles.map((candle) => candle.sizeDecimals));
  return candles.map((candle) => {
    const refined = { ...candle };
    refine(refined, priceDecimals, sizeDecimals);
    return refined;
  });
}
