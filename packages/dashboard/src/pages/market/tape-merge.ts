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

/** A liquidation among the orders. */
export interface LiquidationRow extends TapeRow {
  readonly venue: string;
  readonly position: 'long' | 'short';
  /** From the trades, where a venue does not report it. */
  readonly isInferred: boolean;
}

/** Any row of a tape. */
export type AnyRow = TapeRow | MarketRow | LiquidationRow;

interface LiquidationEvent {
  readonly ts: number;
  readonly venue: string;
  readonly position: 'long' | 'short';
  readonly price: number;
  readonly size: number;
  readonly notionalUsd: number;
  readonly inferred: boolean;
}

/** Liquidations, oldest first, as rows of a tape, newest first. A long that is liquidated is sold. */
export function liquidationRowsOf(events: readonly LiquidationEvent[]): readonly LiquidationRow[] {
  return events.toReversed().map(({ inferred, position, ...event }, i) => ({
    ...event,
    position,
    isInferred: inferred,
    name: `liquidation ${events.length - i}`,
    side: position === 'long' ? 'sell' : 'buy',
    fills: 1,
  }));
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

/** Joins the rows of markets, each list newest first, to one. */
export function mergeRows(lists: ReadonlyMap<string, readonly TapeRow[]>): readonly MarketRow[] {
  return joined([...lists], (row, market) => ({ ...row, market }));
}

/** Puts liquidations among the rows of a tape. */
export function withLiquidations(
  rows: readonly (TapeRow | MarketRow)[],
  liquidations: readonly LiquidationRow[],
): readonly AnyRow[] {
  const lists: readonly (readonly [string, readonly AnyRow[]])[] = [
    ['rows', rows],
    ['liquidations', liquidations],
  ];
  return joined(lists, (row) => row);
}

function joined<Given extends TapeRow, Row extends TapeRow>(
  lists: readonly (readonly [name: string, rows: readonly Given[]])[],
  rowOf: (row: Given, name: string) => Row,
): readonly Row[] {
  const heads = lists.map(([name, rows]) => ({ name, rows, at: 0 }));
  const merged: Row[] = [];
  while (merged.length < ROWS_MAX) {
    let newest: (typeof heads)[number] | undefined;
    for (const head of heads) {
      const row = head.rows[head.at];
      if (row && (!newest || row.ts > (newest.rows[newest.at]?.ts ?? 0))) newest = head;
    }
    if (!newest) break;
    merged.push(rowOf(newest.rows[newest.at] as Given, newest.name));
    newest.at += 1;
  }
  return merged;
}

/** How strong the ground of a row is: 0 to 3, which is a large print. */
export function shadeOf(notionalUsd: number, largeUsd: number): number {
  return SHADES.filter((share) => notionalUsd >= share * largeUsd).length;
}
