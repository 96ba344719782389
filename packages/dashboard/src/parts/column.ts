/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly title: string;
  readonly text: (row: Row) => string;
  /** Sort key; absent: not sortable. */
  readonly sort?: (row: Row) => number | string | undefined;
  readonly tone?: (row: Row) => 'up' | 'down' | '';
  /** Text is left-aligned and sorted from A first. */
  readonly isText?: boolean;
  /** Left out if there is little room. */
  readonly isMinor?: boolean;
  /** Left out below 1500 px. */
  readonly isWide?: boolean;
  /** Drawn by the table's `cell`. */
  readonly isDrawn?: boolean;
  readonly hint?: string;
  /** Why its figure is marked as suspect; not where it is not. */
  readonly warning?: (row: Row) => string | undefined;
  /** From −1 to 1: how strongly its cell is coloured. */
  readonly heat?: (row: Row) => number | undefined;
}
