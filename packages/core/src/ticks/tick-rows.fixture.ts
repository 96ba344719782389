import { createTickColumns, type TickColumns } from './tick-columns.ts';

/** A trade as a row, for tests that read better that way. */
export interface TickRow {
  readonly ts: number;
  readonly price: number;
  readonly size: number;
  readonly isBuy: number;
  readonly sameOrder: number;
}

export function columnsOf(rows: readonly TickRow[], priceDecimals = 0, sizeDecimals = 0): TickColumns {
  const columns = { ...createTickColumns(rows.length), length: rows.length, priceDecimals, sizeDecimals };
  for (const [i, row] of rows.entries()) {
    columns.ts[i] = row.ts;
    columns.price[i] = row.price;
    columns.size[i] = row.size;
    columns.isBuy[i] = row.isBuy;
    columns.sameOrder[i] = row.sameOrder;
  }
  return columns;
}

export function rowsOf(columns: TickColumns): TickRow[] {
  return Array.from({ length: columns.length }, (_, i) => ({
    ts: cell(columns.ts, i),
    price: cell(columns.price, i),
    size: cell(columns.size, i),
    isBuy: cell(columns.isBuy, i),
    sameOrder: cell(columns.sameOrder, i),
  }));
}

function cell(column: Float64Array | Uint8Array, i: number): number {
  return column[i] ?? Number.NaN;
}
