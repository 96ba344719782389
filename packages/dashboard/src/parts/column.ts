/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly title: string;
  readonly text: (row: Row) => string;
  /** What it is sorted by; without it it is not. */
  readonly sort?: (row: Row) => number | string | undefined;
  readonly tone?: (row: Row) => 'up' | 'down' | '';
  /** Text stands on the left and is sorted from A first. */
  readonly isText?: boolean;
  /** Left out where there is little room. */
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
