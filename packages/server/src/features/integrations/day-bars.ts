import { type Bar, type BarColumns, checkDayBars, DAY_MS } from '@crosstape/core';

const CAPACITY_MIN = 256;
/** Columns that are full grow by this. */
const GROWTH = 1.5;

const copied = ['openTs', 'open', 'high', 'low', 'close', 'volume'] as const;
const names = [...copied, 'time'] as const;
type Columns = Record<(typeof names)[number], Float64Array>;

export interface TapeBar extends Pick<Bar, (typeof copied)[number]> {
  /** In seconds, unique. */
  readonly time: number;
}

/** Bars by position, oldest first: an array, or columns from which a bar is made when it is read. */
export interface BarList<Row> {
  readonly length: number;
  at(position: number): Row | undefined;
}

/** The bars of one UTC day as columns; the last one may still be growing. */
export class DayBars implements BarList<TapeBar> {
  readonly #lastSecond: number;
  #columns: Columns = createColumns(CAPACITY_MIN);
  #closed = 0;
  #length = 0;

  constructor(startMs: number) {
    this.#lastSecond = (startMs + DAY_MS) / 1_000 - 1;
  }

  /** Never shrinks. */
  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return names.length * this.#columns.time.byteLength;
  }

  /** Appends closed bars, and replaces the bar in progress. Throws a `RangeError` for more bars than a day has seconds. */
  add(bars: BarColumns, open: Bar | null): void {
    const closed = this.#closed + bars.length;
    const length = closed + (open ? 1 : 0);
    checkDayBars(length);
    this.#reserve(length);
    for (const name of copied) {
      const column = this.#columns[name];
      column.set(bars[name].subarray(0, bars.length), this.#closed);
      if (open) column[closed] = open[name];
    }
    const { openTs, time } = this.#columns;
    // Bars that begin in the same second move to the next free one.
    for (let i = this.#closed; i < length; i += 1)
      time[i] = Math.max(Math.floor(openTs[i]! / 1_000), i > 0 ? time[i - 1]! + 1 : 0);
    this.#closed = closed;
    this.#length = length;
  }

  at(position: number): TapeBar | undefined {
    if (position < 0 || position >= this.#length) return undefined;
    const { openTs, open, high, low, close, volume, time } = this.#columns;
    // Bars that moved past the end of the day move back into it.
    const latest = this.#lastSecond - (this.#length - 1 - position);
    return {
      openTs: openTs[position]!,
      open: open[position]!,
      high: high[position]!,
      low: low[position]!,
      close: close[position]!,
      volume: volume[position]!,
      time: Math.min(time[position]!, latest),
    };
  }

  #reserve(length: number): void {
    const capacity = this.#columns.time.length;
    if (length <= capacity) return;
    const larger = createColumns(Math.max(length, Math.ceil(capacity * GROWTH)));
    for (const name of names) larger[name].set(this.#columns[name]);
    this.#columns = larger;
  }
}

/** The bars of several days as one list. */
export class JoinedDays implements BarList<TapeBar> {
  readonly #parts: { readonly bars: DayBars; readonly length: number }[] = [];
  length = 0;

  /** Adds the bars before a time of a day that is older than those here. */
  prepend(bars: DayBars, beforeMs: number): void {
    const length = firstPosition(bars, ({ time }) => time * 1_000 >= beforeMs);
    this.#parts.unshift({ bars, length });
    this.length += length;
  }

  at(position: number): TapeBar | undefined {
    let first = 0;
    for (const { bars, length } of this.#parts) {
      if (position < first + length) return bars.at(position - first);
      first += length;
    }
    return undefined;
  }
}

/** Position of the first bar that meets a condition, which all later ones meet too; the length if there is none. */
export function firstPosition<Row>(list: BarList<Row>, holds: (row: Row) => boolean): number {
  let [first, next] = [0, list.length];
  while (first < next) {
    const middle = (first + next) >> 1;
    if (holds(list.at(middle)!)) next = middle;
    else first = middle + 1;
  }
  return first;
}

function createColumns(capacity: number): Columns {
  return Object.fromEntries(names.map((name) => [name, new Float64Array(capacity)])) as Columns;
}
