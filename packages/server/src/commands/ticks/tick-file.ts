import type { Ticks } from '../../features/tape/tick-table.ts';
import type { Sink } from './sink.ts';

/** The columns of a trade file, in order. The last two are optional. */
export const tickColumns = ['ts', 'price', 'size', 'side', 'tid', 'venueTs', 'sameOrder'] as const;
const REQUIRED_COLUMNS = 5;

/** A trade in a file, not validated yet, and its position. */
export interface FileRow {
  /** Line or row number, from 1. */
  readonly place: number;
  /** In the order of `tickColumns`. */
  readonly cells: readonly unknown[];
}

/** Writes any number of trades into a file with bounded memory. */
export interface TickPrinter {
  /** The trades `from <= i < to`. */
  add(ticks: Ticks, from: number, to: number): Promise<void>;
  finish(): Promise<void>;
}

/** The market of a file's trades. */
export interface ExportedMarket {
  readonly id: string;
  readonly coin: string;
  readonly symbol: string;
}

/** A file format for exports. */
export interface ExportFormat {
  readonly name: string;
  /** Whether it can be read while it is written, and so piped. */
  readonly isText: boolean;
  print(sink: Sink, market: ExportedMarket): TickPrinter;
}

/** A file format for exports and imports. */
export interface TickFormat extends ExportFormat {
  readonly name: 'csv' | 'ndjson' | 'parquet';
  /** The name of a position in it. */
  readonly place: 'line' | 'row';
  /** Batches of rows; `onBytes` gets the position in the file. */
  read(path: string, onBytes: (bytes: number) => void): AsyncIterable<readonly FileRow[]>;
}

/** Index of each of our columns in a file, −1 if absent. Throws for unknown or missing columns. */
export function findColumns(names: readonly string[], where: string): readonly number[] {
  const unknown = names.find((name) => !tickColumns.some((column) => column === name));
  if (unknown !== undefined) {
    throw new Error(`${where}: unknown column ${unknown}; allowed: ${tickColumns.join(', ')}`);
  }
  const missing = tickColumns.slice(0, REQUIRED_COLUMNS).find((column) => !names.includes(column));
  if (missing !== undefined) throw new Error(`${where}: column ${missing} is missing`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`${where}: column ${twice} appears twice`);
  return tickColumns.map((column) => names.indexOf(column));
}
