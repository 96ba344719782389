import type { BookLevel } from '@crosstape/core';
import { parseDecimal } from '@crosstape/core';
import { type Fields, readArray, readObject, wrong } from './reading.ts';
import type { BookFeed, Frame } from './venue.ts';

/** Order books of other venues that are open at a time, for all subscribers together. */
export const MARKET_BOOKS_MAX = 50;

/** What the feeds of order books have in common. The limits are ours where a venue publishes none. */
export const bookFeed = {
  name: 'market-books',
  sockets: 1,
  topicsPerSocket: 30,
  topicsPerFrame: 10,
  // Until 15 s after the last subscriber left: a page that is loaded again finds the book.
  demand: { keepMs: 15_000, topicsMax: MARKET_BOOKS_MAX },
  silentMaxMs: 5 * 60_000,
  topics: (listed, followed = []) =>
    listed.flatMap(({ symbol }) => (followed.includes(symbol) ? symbol : [])),
} as const satisfies Partial<BookFeed>;

/** Levels as lists: price, size and, at `countAt`, the number of orders. Decimal texts or numbers. */
export function readLevels(rows: unknown, what: string, countAt?: number): readonly BookLevel[] {
  return readArray(rows, what).map((row) => {
    const values = readArray(row, what);
    return levelOf(values[0], values[1], what, countAt === undefined ? 0 : values[countAt]);
  });
}

/** Levels as objects, by the names of price and size. */
export function readNamedLevels(
  rows: unknown,
  what: string,
  [price, size]: readonly [string, string],
): readonly BookLevel[] {
  return readArray(rows, what).map((row) => {
    const fields: Fields = readObject(row, what);
    return levelOf(fields[price], fields[size], what);
  });
}

/** A venue that does not count orders has a count of 0. A size of 0 removes the level. */
export function levelOf(price: unknown, size: unknown, what: string, count: unknown = 0): BookLevel {
  const level: BookLevel = [
    readFigure(price, `${what} price`),
    readFigure(size, `${what} size`),
    readFigure(count, `${what} count`),
  ];
  if (level[0] === 0) throw wrong(price, `${what} price`, 'above zero');
  return level;
}

/** Zero or more, as decimal text or as a JSON number. */
function readFigure(value: unknown, what: string): number {
  const figure = typeof value === 'number' ? value : parseDecimal(value);
  if (figure === undefined || !Number.isFinite(figure) || figure < 0)
    throw wrong(value, what, 'a number of zero or more');
  return figure;
}

/** Numbers of a book's messages: each names the previous one. */
export class BookSequence {
  readonly #last = new Map<string, number | bigint>();

  /** A snapshot, with its number. */
  begin(symbol: string, number: number | bigint): void {
    this.#last.set(symbol, number);
  }

  /**
   * A change with its number, and that of the message before it. Gives nothing when it follows, and otherwise the frame
   * that says why it is of no use: it is old, or one is missing.
   */
  check(symbol: string, before: number | bigint, number: number | bigint): Frame | undefined {
    const last = this.#last.get(symbol);
    if (last === undefined) return gapOf(symbol, `${symbol}: a change before a snapshot`);
    if (before === last) {
      this.#last.set(symbol, number);
      return undefined;
    }
    if (number <= last) return { kind: 'ignored', why: `${symbol}: an old change` };
    this.#last.delete(symbol);
    return gapOf(symbol, `${symbol}: a change is missing between ${last} and ${number}`);
  }
}

/** The book of a market can no longer be kept from changes: it has to begin again with a snapshot. */
export function gapOf(symbol: string, why: string): Frame {
  return { kind: 'bookGap', symbols: [symbol], why };
}
