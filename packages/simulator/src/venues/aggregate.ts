import type { WireDeal } from './trade-ledger.ts';

/** Fills that each of eight aggregate trades in a row is made of, and those of the eight before each. */
const FILLS = [1, 1, 3, 1, 2, 1, 1, 6];
const BEFORE = FILLS.map((_, i) => FILLS.slice(0, i).reduce((sum, fills) => sum + fills, 0));
const ALL = FILLS.reduce((sum, fills) => sum + fills, 0);

/** The ids of the first and the last fill of an aggregate trade: fills are counted without gaps, too. */
export function fillsOf({ id }: Pick<WireDeal, 'id'>): { readonly first: number; readonly last: number } {
  const round = Math.floor(id / FILLS.length);
  const place = id - round * FILLS.length;
  const first = round * ALL + BEFORE[place]!;
  return { first, last: first + FILLS[place]! - 1 };
}
