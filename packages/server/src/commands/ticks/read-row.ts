import { notionalUsdOf, type Trade } from '@crosstape/core';
import type { Owner } from '../../store/newest-trades.ts';
import type { FileRow, TickColumn } from './tick-file.ts';

/** Digits that a number is sure to keep. */
const DIGITS_MAX = 15;
const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e[+-]?\d+)?$/i;

type Cells = FileRow['cells'];

/** The trade that a row of a file tells; throws an error that names the column that is wrong. */
export function readRow(cells: Cells, owner: Owner): Trade {
  const price = decimal(cells, 'price');
  const size = decimal(cells, 'size');
  const ts = whole(cells, 'ts');
  const venueTs = isAbsent(cells.venueTs) ? undefined : whole(cells, 'venueTs');
  if (venueTs !== undefined && venueTs >= ts) throw new Error(`venueTs ${venueTs} is not before ts ${ts}`);
  if (cells.side !== 'buy' && cells.side !== 'sell') throw wrong(cells, 'side', 'buy or sell');
  return {
    ...owner,
    side: cells.side,
    price,
    size,
    notionalUsd: notionalUsdOf(price, size),
    ts,
    ...(venueTs === undefined ? {} : { venueTs }),
    tid: whole(cells, 'tid'),
    sameOrder: isTrue(cells, 'sameOrder'),
  };
}

/** Texts of a CSV, numbers of JSON, 64-bit whole numbers and times of Parquet. */
function whole(cells: Cells, column: TickColumn): number {
  const cell = cells[column];
  const value = typeof cell === 'string' && /^\d+$/.test(cell) ? Number(cell) : cell;
  const read = typeof value === 'bigint' || value instanceof Date ? Number(value) : value;
  if (typeof read === 'number' && Number.isSafeInteger(read) && read >= 0) return read;
  throw wrong(cells, column, 'a whole number from 0 below 2^53');
}

function decimal(cells: Cells, column: TickColumn): number {
  const cell = cells[column];
  const [, integer, fraction = ''] = DECIMAL.exec(String(cell)) ?? [];
  const value = Number(cell);
  const isText = typeof cell === 'string' || typeof cell === 'number';
  if (!isText || integer === undefined || !(value > 0 && value < Number.MAX_SAFE_INTEGER))
    throw wrong(cells, column, 'a decimal above 0');
  const digits = `${integer}${fraction}`.replace(/^0+|0+$/g, '');
  if (digits.length > DIGITS_MAX) throw wrong(cells, column, `a decimal of at most ${DIGITS_MAX} digits`);
  return value;
}

function isTrue(cells: Cells, column: TickColumn): boolean {
  const cell = cells[column];
  if (isAbsent(cell) || cell === false || cell === 'false' || cell === '0' || cell === 0) return false;
  if (cell === true || cell === 'true' || cell === '1' || cell === 1) return true;
  throw wrong(cells, column, 'true or false');
}

function isAbsent(cell: unknown): boolean {
  return cell === undefined || cell === null || cell === '';
}

function wrong(cells: Cells, column: TickColumn, allowed: string): Error {
  const cell = cells[column];
  return new Error(
    `${column} must be ${allowed}, not ${typeof cell === 'string' ? `"${cell}"` : String(cell)}`,
  );
}
