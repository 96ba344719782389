import type { OptionBook } from '@crosstape/core';
import type { BookSpan } from './option-trade-table.ts';

/** Gaps of one answer: more are joined to the last. */
const GAPS_MAX = 50;

export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** How much of a range is recorded, of all books together. */
export interface TradeCoverage {
  /** When the record begins: of the book whose record begins last. */
  readonly recordedSinceMs: number;
  /** Up to when everything is recorded: of the book that is furthest behind. */
  readonly recordedToMs: number;
  /** Parts of the range up to then that a book is not recorded in, oldest first. */
  readonly gaps: readonly Gap[];
}

/** The books with options on a coin: its own, if it has one, and that of USDC. */
export function booksOf(coin: string): readonly OptionBook[] {
  if (coin === 'BTC') return ['btc', 'usdc'];
  return coin === 'ETH' ? ['eth', 'usdc'] : ['usdc'];
}

/** `undefined` before each of the books has a span. */
export function coverageOf(
  spans: readonly BookSpan[],
  books: readonly OptionBook[],
  range: Gap,
): TradeCoverage | undefined {
  const byBook = books.map((book) => spans.filter((span) => span.book === book));
  if (byBook.some(({ length }) => length === 0)) return undefined;
  const recordedToMs = Math.min(...byBook.map((own) => Math.max(...own.map(({ to }) => to))));
  return {
    recordedSinceMs: Math.max(...byBook.map((own) => Math.min(...own.map(({ from }) => from)))),
    recordedToMs,
    gaps: joined(
      byBook.flatMap((own) => gapsOf(own, { from: range.from, to: Math.min(range.to, recordedToMs) })),
    ),
  };
}

/** Of one book, whose spans are in order. */
function gapsOf(spans: readonly Gap[], { from, to }: Gap): readonly Gap[] {
  const gaps: Gap[] = [];
  let atMs = from;
  for (const span of spans) {
    if (span.from > atMs && atMs < to) gaps.push({ from: atMs, to: Math.min(span.from, to) });
    atMs = Math.max(atMs, span.to);
  }
  if (atMs < to) gaps.push({ from: atMs, to });
  return gaps;
}

function joined(gaps: readonly Gap[]): readonly Gap[] {
  const merged: Gap[] = [];
  for (const gap of gaps.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && (gap.from <= last.to || merged.length >= GAPS_MAX))
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, gap.to) };
    else merged.push(gap);
  }
  return merged;
}
