import type { Schemas } from '@crosstape/client';
import { dollars } from './market-choice.ts';
import type { TapeRow } from './tape.ts';

type RecordedMarket = Pick<Schemas['RecordedMarket'], 'market' | 'venue' | 'kind' | 'quote' | 'trades24h'>;

/** Rows that a list of several markets shows, at most. */
const ROWS_MAX = 1_000;
/** Markets that are followed at a time: the most traded. */
export const MARKETS_MAX = 12;
/** Shares of the large size from which a row has a stronger ground. */
const SHADES = [0.01, 0.1, 1];

/** An order of one of several markets. */
export interface MarketRow extends TapeRow {
  readonly market: string;
}

/** Markets in a tape: those of a venue, those of a kind, or `all`. Sizes in other currencies cannot be compared, so only dollars count. */
export function tapeMarkets<Market extends RecordedMarket>(
  recorded: readonly Market[],
  filter: string,
): readonly Market[] {
  return recorded
    .filter(({ venue, kind, quote }) => dollars.includes(quote) && ['all', venue, kind].includes(filter))
    .toSorted((a, b) => b.trades24h - a.trades24h)
    .slice(0, MARKETS_MAX);
}

/** Joins lists of rows, each newest first, to one. */
export function mergeRows(lists: ReadonlyMap<string, readonly TapeRow[]>): readonly MarketRow[] {
  const heads = [...lists].map(([market, rows]) => ({ market, rows, at: 0 }));
  const merged: MarketRow[] = [];
  while (merged.length < ROWS_MAX) {
    let newest: (typeof heads)[number] | undefined;
    for (const head of heads) {
      const row = head.rows[head.at];
      if (row && (!newest || row.ts > (newest.rows[newest.at]?.ts ?? 0))) newest = head;
    }
    if (!newest) break;
    merged.push({ ...(newest.rows[newest.at] as TapeRow), market: newest.market });
    newest.at += 1;
  }
  return merged;
}

/** How strong the ground of a row is: 0 to 3, which is a large print. */
export function shadeOf(notionalUsd: number, largeUsd: number): number {
  return SHADES.filter((share) => notionalUsd >= share * largeUsd).length;
}
