import { lastGoodMsOf, rowAtMs, type Snapshot } from '../../topics.ts';

/** A row of a table with one for each contract. */
interface ContractRow {
  readonly coin: string;
  readonly symbol: string;
}

export interface UsableRows<Row> {
  readonly rows: readonly { readonly row: Row; readonly atMs: number }[];
  /** Contracts by coin without anything that may still be served. */
  readonly lacking: ReadonlyMap<string, readonly string[]>;
}

/** The rows of a table that are not too old to be served, and the contracts without one. */
export function usableRows<Row extends ContractRow>(table: Snapshot<Row>, nowMs: number): UsableRows<Row> {
  const sinceMs = nowMs - lastGoodMsOf(table.everyMs);
  const rows: { row: Row; atMs: number }[] = [];
  const lacking = new Map<string, string[]>();
  const lack = ({ coin, symbol }: ContractRow): unknown =>
    lacking.set(coin, [...(lacking.get(coin) ?? []), symbol]);
  for (const [i, row] of table.rows.entries()) {
    const atMs = rowAtMs(table, i);
    if (atMs >= sinceMs) rows.push({ row, atMs });
    else lack(row);
  }
  for (const contract of table.missing ?? []) lack(contract);
  return { rows, lacking };
}
