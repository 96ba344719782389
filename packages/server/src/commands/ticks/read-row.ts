import { notionalUsdOf, type Trade } from '@crosstape/core';
import type { Owner } from '../../features/tape/newest-trades.ts';
import type { FileRow } from './tick-file.ts';

/** Digits that a number keeps exactly. */
const DIGITS_MAX = 15;
/** Maximum decimals that bars support. */
const DECIMALS_MAX = 8;
const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e[+-]?\d+)?$/i;
/** A decimal that is too short to have too many digits. */
const SHORT_DECIMAL = /^\d{1,7}(\.\d{1,8})?$/;

/** Parses the trade in a row of a file; throws an error that names the invalid column. */
export function readRow(
  [ts, price, size, side, tid, venueTs, sameOrder]: FileRow['cells'],
  owner: Owner,
): Trade {
  if (side !== 'buy' && side !== 'sell') throw wrong('side', 'buy or sell', side);
  const at = whole('ts', ts);
  const paid = decimal('price', price);
  const coins = decimal('size', size);
  const trade = {
    coin: owner.coin,
    venue: owner.venue,
    side,
    price: paid,
    size: coins,
    notionalUsd: notionalUsdOf(paid, coins),
    ts: at,
    tid: whole('tid', tid),
    sameOrder: isTrue('sameOrder', sameOrder),
  } as const;
  if (isAbsent(venueTs)) return trade;
  const own = whole('venueTs', venueTs);
  if (own === at) throw new Error(`venueTs ${own} is not another time than ts`);
  return { ...trade, venueTs: own };
}

/** Accepts text of a CSV, numbers of JSON, and 64-bit integers and times of Parquet. */
function whole(column: string, cell: unknown): number {
  const isText = typeof cell === 'string' && /^\d+$/.test(cell);
  const value = isText || typeof cell === 'bigint' || cell instanceof Date ? Number(cell) : cell;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw wrong(column, 'a whole number from 0 below 2^53', cell);
}

function decimal(column: string, cell: unknown): number {
  const text = typeof cell === 'number' || typeof cell === 'bigint' ? String(cell) : cell;
  if (typeof text !== 'string') throw wrong(column, 'a decimal above 0', cell);
  const value = Number(text);
  if (SHORT_DECIMAL.test(text) && value > 0) return value;
  const [, integer, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (integer === undefined || !(value > 0 && value < Number.MAX_SAFE_INTEGER))
    throw wrong(column, 'a decimal above 0', cell);
  const digits = `${integer}${fraction}`.replace(/^0+|0+$/g, '');
  if (digits.length > DIGITS_MAX) throw wrong(column, `a decimal of at most ${DIGITS_MAX} digits`, cell);
  if (Number(value.toFixed(DECIMALS_MAX)) !== value)
    throw wrong(column, `a number of at most ${DECIMALS_MAX} decimals`, cell);
  return value;
}

function isTrue(column: string, cell: unknown): boolean {
  if (cell === false || cell === 'false' || cell === '0' || cell === 0 || isAbsent(cell)) return false;
  if (cell === true || cell === 'true' || cell === '1' || cell === 1) return true;
  throw wrong(column, 'true or false', cell);
}

function isAbsent(cell: unknown): boolean {
  return cell === undefined || cell === null || cell === '';
}

function wrong(column: string, allowed: string, cell: unknown): Error {
  return new Error(
    `${column} must be ${allowed}, not ${typeof cell === 'string' ? `"${cell}"` : String(cell)}`,
  );
}
