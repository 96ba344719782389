import type { Ticks } from '../../features/tape/tick-table.ts';
import type { Sink } from './sink.ts';

/** The columns of a file of trades, in this order. The last two may be absent. */
export const tickColumns = ['ts', 'price', 'size', 'side', 'tid', 'venueTs', 'sameOrder'] as const;
const REQUIRED_COLUMNS = 5;

/** A trade as it stands in a file, not checked yet, and where. */
export interface FileRow {
  /** Line of a text, row of a table; from 1. */
  readonly place: number;
  /** In the order of `tickColumns`. */
  readonly cells: readonly unknown[];
}

/** Writes trades into a file, as many as there are, with memory for few of them. */
export interface TickPrinter {
  /** The trades `from <= i < to`. */
  add(ticks: Ticks, from: number, to: number): Promise<void>;
  finish(): Promise<void>;
}

/** Whose trades a file holds. */
export interface ExportedMarket {
  readonly id: string;
  readonly coin: string;
  readonly symbol: string;
}

/** A kind of file that trades are exported to. */
export interface ExportFormat {
  readonly name: string;
  /** Whether it can be read while it is written, so that it may go into a pipe. */
  readonly isText: boolean;
  print(sink: Sink, market: ExportedMarket): TickPrinter;
}

/** A kind of file. */
export interface TickFormat extends ExportFormat {
  readonly name: 'csv' | 'ndjson' | 'parquet';
  /** What a place in it is called. */
  readonly place: 'line' | 'row';
  /** Batches of rows; `onBytes` receives how far in the file they reach. */
  read(path: string, onBytes: (bytes: number) => void): AsyncIterable<readonly FileRow[]>;
}

/** Where a file has each of our columns, −1 where it lacks one. Throws for columns that are none of ours, or missing ones. */
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
