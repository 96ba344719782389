import { pairByCoin, type SpotTicker } from '@crosstape/core';

type Rows = readonly SpotTicker[];
type RowsByCoin = ReadonlyMap<string, readonly number[]>;

/** A venue lists thousands of pairs, and a published table never changes: it is searched once. */
const indexes = new WeakMap<Rows, RowsByCoin>();

/** The row of a pair in a venue's table, or -1. */
export function pairRow(rows: Rows, coin: string, quote: string): number {
  return rowsOf(rows, coin).find((i) => rows[i]?.quote === quote) ?? -1;
}

/** The row of the pair that a coin's prices are taken from, or -1. */
export function chosenRow(rows: Rows, coin: string): number {
  const places = rowsOf(rows, coin);
  const chosen = pairByCoin(
    places.flatMap((i) => rows[i] ?? []),
    new Set([coin]),
  ).get(coin);
  return places.find((i) => rows[i] === chosen) ?? -1;
}

function rowsOf(rows: Rows, coin: string): readonly number[] {
  const known = indexes.get(rows);
  if (known) return known.get(coin) ?? [];
  const index = new Map<string, number[]>();
  for (const [i, row] of rows.entries()) {
    const places = index.get(row.coin);
    if (places) places.push(i);
    else index.set(row.coin, [i]);
  }
  indexes.set(rows, index);
  return index.get(coin) ?? [];
}
