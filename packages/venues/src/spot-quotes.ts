import { pairByCoin, type VenueQuote } from '@crosstape/core';
import { type ReportOdd, readDecimal, MOST, readRows } from './reading.ts';
import type { Feed, Frame, Listed } from './venue.ts';

/** What the feeds of best bids and asks have in common. They are subscribed to for the coins that are compared. */
export const quotesFeed = {
  name: 'quotes',
  sockets: 1,
  // Among the coins that are always compared are the busiest of all: a minute of silence is a stall.
  silentMaxMs: 60_000,
  demand: { keepMs: 60_000, topicsMax: 200 },
  // No venue but Bybit publishes a limit.
  topicsPerFrame: 50,
  topics: quotedPairs,
} as const satisfies Partial<Feed>;

/** The pairs of these coins, one each, as the venue's sockets spell them. */
function quotedPairs(listed: readonly Listed[], coins: readonly string[] = []): readonly string[] {
  const priced = listed.map((row) => ({ ...row, quote: row.quote ?? 'USD' }));
  const pairs = pairByCoin(priced, new Set(coins));
  return [...pairs.values()].map(({ symbol, streamSymbol = symbol }) => streamSymbol);
}

/**
 * A price of a quote; nothing where that side of the book is empty, which venues also write as a zero. One that is
 * malformed refuses its quote: it must not be taken for an empty side.
 */
export function readQuoted(
  value: unknown,
  what: string,
  read: (value: unknown, what: string) => number = readDecimal,
): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const price = read(value, what);
  return price > 0 ? price : undefined;
}

/** The quotes among the rows of a frame. Only the malformed row is dropped. */
export function readQuotes<Row>(
  rows: readonly Row[],
  readRow: (row: Row, odd: ReportOdd, i: number) => VenueQuote | undefined,
  isEveryChange = true,
): Extract<Frame, { readonly kind: 'quotes' }> {
  const { rows: quotes, refused } = readRows(rows.length, (i, odd) => readRow(rows[i] as Row, odd, i), MOST);
  return { kind: 'quotes', quotes, isEveryChange, ...(refused.length > 0 && { refused }) };
}
