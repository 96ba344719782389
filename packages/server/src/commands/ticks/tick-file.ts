import type { Ticks } from '../../store/tick-shelf.ts';
import type { Sink } from './sink.ts';

/** What a file of trades tells of each, in this order. The last two may be absent. */
export const tickColumns = ['ts', 'price', 'size', 'side', 'tid', 'venueTs', 'sameOrder'] as const;
export type TickColumn = (typeof tickColumns)[number];

/** A trade as it stands in a file, not checked yet, and where. */
export interface FileRow {
  /** Line of a text, row of a table; from 1. */
  readonly place: number;
  readonly cells: Readonly<Partial<Record<TickColumn, unknown>>>;
}

/** Writes trades into a file, as many as there are, with memory for few of them. */
export interface TickPrinter {
  /** The trades `from <= i < to`. */
  add(ticks: Ticks, from: number, to: number): Promise<void>;
  finish(): Promise<void>;
}

/** A kind of file. */
export interface TickFormat {
  readonly name: 'csv' | 'ndjson' | 'parquet';
  /** What a place in it is called. */
  readonly place: 'line' | 'row';
  /** Whether it can be read while it is written, so that it may go into a pipe. */
  readonly isText: boolean;
  print(sink: Sink): TickPrinter;
  /** Batches of rows; `onBytes` hears how far in the file they reach. */
  read(path: string, onBytes: (bytes: number) => void): AsyncIterable<readonly FileRow[]>;
}

/** Throws when a file has columns that are none of ours, or lacks one that every trade has. */
export function checkColumns(names: readonly string[], where: string): void {
  const unknown = names.find((name) => !tickColumns.some((column) => column === name));
  if (unknown !== undefined) {
    throw new Error(`${where}: unknown column ${unknown}; allowed: ${tickColumns.join(', ')}`);
  }
  const missing = tickColumns.slice(0, 5).find((column) => !names.includes(column));
  if (missing !== undefined) throw new Error(`${where}: column ${missing} is missing`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`${where}: column ${twice} is there twice`);
}
