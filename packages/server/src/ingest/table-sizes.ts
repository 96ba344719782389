import type { ParsedTables, TableName } from '@crosstape/core';

/** A smaller table can lose half of its rows on an ordinary day. */
const ROWS_MIN = 10;
/** A table that stays small was cut on purpose: after this long it is the new normal. */
const REPORT_MS = 24 * 3_600_000;

interface Shrinkage {
  readonly fromRows: number;
  readonly atMs: number;
}

/** Rows of answers, and of those that they replaced. */
export interface SizeChange {
  readonly rows: number;
  readonly before: number;
}

/** Reports the tables of a source that lost more than half of their rows from one answer to the next. */
export class TableSizes {
  readonly #tables: readonly TableName[];
  readonly #lastRows = new Map<TableName, number>();
  readonly #shrunk = new Map<TableName, Shrinkage>();

  constructor(tables: readonly TableName[]) {
    this.#tables = tables;
  }

  /** Counts an answer. A note stays until the table has half of its former rows again. */
  notes(parsed: ParsedTables, nowMs: number): readonly string[] {
    return this.#tables.flatMap((table) => {
      const rows = parsed[table]?.length;
      // A table that could not be read is reported as such.
      if (rows === undefined || parsed.unread?.includes(table)) return [];
      const before = this.#lastRows.get(table) ?? 0;
      this.#lastRows.set(table, rows);
      return this.notesOf(table, { rows, before }, nowMs);
    });
  }

  /** The same for a table that is made of several answers. */
  notesOf(table: TableName, { rows, before }: SizeChange, nowMs: number): readonly string[] {
    if (before >= ROWS_MIN && isLessThanHalf(rows, before) && !this.#shrunk.has(table))
      this.#shrunk.set(table, { fromRows: before, atMs: nowMs });
    const shrinkage = this.#shrunk.get(table);
    if (!shrinkage) return [];
    const { fromRows, atMs } = shrinkage;
    if (!isLessThanHalf(rows, fromRows) || nowMs - atMs >= REPORT_MS) {
      this.#shrunk.delete(table);
      return [];
    }
    return [`${table} shrank from ${fromRows} rows to less than half at ${new Date(atMs).toISOString()}.`];
  }
}

function isLessThanHalf(rows: number, before: number): boolean {
  return rows * 2 < before;
}
