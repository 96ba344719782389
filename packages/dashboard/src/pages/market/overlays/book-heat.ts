import type { Book } from '../../../live/topic.ts';

/** Resting orders of a time span: the maximum seen at each price, in the currency of the prices. */
export interface HeatColumn {
  readonly fromMs: number;
  toMs: number;
  /** Pairs of a price and its worth: a map would take four times the memory. */
  levels: Float64Array;
  /** Of each pair, how far above its price the worth is spread, below it if negative; absent: it is at the price. */
  readonly widths?: Float64Array;
}

/** Columns of a market: two hours of the first length, then they are joined two by two. */
export const COLUMNS_MAX = 1_440;
const FIRST_LENGTH_MS = 5_000;
/** Prices of a column: a venue sends 20 a side, and the best ones move. */
export const LEVELS_MAX = 100;
/** Markets whose books are kept: those that were looked at last. */
export const MARKETS_MAX = 6;

/** The books of a market as this page has seen them. However long it looks, the memory has a bound. */
export class BookHeat {
  #columns: HeatColumn[] = [];
  #lengthMs = FIRST_LENGTH_MS;
  /** Worths by price of the newest column. */
  #worths = new Map<number, number>();

  get columns(): readonly HeatColumn[] {
    return this.#columns;
  }

  add({ bids, asks }: Pick<Book, 'bids' | 'asks'>, nowMs: number): void {
    const column = this.#columnAt(nowMs);
    for (const side of [bids, asks])
      for (const [price, size] of side) note(this.#worths, price, price * size);
    column.levels = levelsOf(this.#worths);
    column.toMs = Math.max(column.toMs, nowMs);
  }

  #columnAt(nowMs: number): HeatColumn {
    const fromMs = Math.floor(nowMs / this.#lengthMs) * this.#lengthMs;
    const last = this.#columns.at(-1);
    if (last && last.fromMs >= fromMs) return last;
    // Until the next one, unless nothing was seen for a while.
    if (last && last.toMs >= fromMs - this.#lengthMs) last.toMs = fromMs;
    const made = { fromMs, toMs: nowMs, levels: new Float64Array() };
    this.#worths = new Map();
    this.#columns.push(made);
    if (this.#columns.length > COLUMNS_MAX) this.#join();
    return this.#columns.at(-1) ?? made;
  }

  /** Columns of twice the length: half as many. */
  #join(): void {
    this.#lengthMs *= 2;
    const joined: HeatColumn[] = [];
    let worths = new Map<number, number>();
    for (const column of this.#columns) {
      const fromMs = Math.floor(column.fromMs / this.#lengthMs) * this.#lengthMs;
      const last = joined.at(-1);
      const isSame = last?.fromMs === fromMs;
      if (!isSame) worths = new Map();
      const { levels, toMs } = column;
      for (let i = 0; i < levels.length; i += 2) note(worths, levels[i]!, levels[i + 1]!);
      if (isSame) Object.assign(last, { toMs, levels: levelsOf(worths) });
      else joined.push({ ...column, fromMs });
    }
    this.#columns = joined;
    this.#worths = worths;
  }
}

function note(worths: Map<number, number>, price: number, worth: number): void {
  if (worth > (worths.get(price) ?? 0)) worths.set(price, worth);
}

/** The values of a column as pairs. If there are too many, the largest are kept. */
function levelsOf(worths: Map<number, number>): Float64Array {
  if (worths.size > LEVELS_MAX) {
    const least = [...worths].toSorted(([, a], [, b]) => a - b).slice(0, worths.size - LEVELS_MAX);
    for (const [price] of least) worths.delete(price);
  }
  const levels = new Float64Array(2 * worths.size);
  let at = 0;
  for (const [price, worth] of worths) {
    levels[at] = price;
    levels[at + 1] = worth;
    at += 2;
  }
  return levels;
}

const seen = new Map<string, BookHeat>();

/** The history that this page has seen of a market; kept while others are shown. */
export function heatOf(market: string): BookHeat {
  const heat = seen.get(market) ?? new BookHeat();
  seen.delete(market);
  seen.set(market, heat);
  const [oldest] = seen.keys();
  if (seen.size > MARKETS_MAX && oldest !== undefined) seen.delete(oldest);
  return heat;
}
