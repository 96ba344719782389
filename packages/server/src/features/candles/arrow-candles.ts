import type { CandleRow } from '@crosstape/core';
import {
  arrowBatch,
  type ArrowColumn,
  arrowEnd,
  type ArrowField,
  type ArrowKind,
  arrowStart,
} from '../../platform/arrow/arrow-stream.ts';

/** The columns, in the order of the JSON fields; those that a venue may not report can be null. */
const kinds: Readonly<Record<keyof CandleRow, ArrowKind>> = {
  ts: 'int64',
  open: 'float64',
  high: 'float64',
  low: 'float64',
  close: 'float64',
  volume: 'float64',
  buyVolume: 'float64',
  notionalUsd: 'float64',
  trades: 'int64',
  buyTrades: 'int64',
  liqLongUsd: 'float64',
  liqShortUsd: 'float64',
  complete: 'bool',
  origin: 'utf8',
};
const names = Object.keys(kinds) as (keyof CandleRow)[];
const nullable: ReadonlySet<string> = new Set([
  'buyVolume',
  'notionalUsd',
  'trades',
  'buyTrades',
  'complete',
] satisfies (keyof CandleRow)[]);
const fields: readonly ArrowField[] = names.map((name) => ({
  name,
  kind: kinds[name],
  isNullable: nullable.has(name),
}));

/** Candles as an Arrow IPC stream of one batch. */
export function arrowCandles(
  rows: readonly CandleRow[],
  metadata: Readonly<Record<string, string>>,
): readonly Uint8Array[] {
  const columns = names.map((name) => columnOf(name, rows));
  const batches = rows.length === 0 ? [] : [arrowBatch(fields, columns, 0, rows.length)];
  return [arrowStart(fields, metadata), ...batches, arrowEnd];
}

function columnOf(name: keyof CandleRow, rows: readonly CandleRow[]): ArrowColumn {
  if (name === 'origin') return { texts: rows.map(({ origin }) => origin) };
  const numbers = new Float64Array(rows.length);
  const valid = new Uint8Array(rows.length);
  for (const [i, row] of rows.entries()) {
    const value = row[name];
    numbers[i] = Number(value ?? 0);
    valid[i] = value === undefined || value === null ? 0 : 1;
  }
  const values = kinds[name] === 'bool' ? { flags: Uint8Array.from(numbers) } : { numbers };
  return nullable.has(name) ? { ...values, valid } : values;
}
