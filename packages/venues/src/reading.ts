import { type ParsedTables, parseDecimal, shortDecimal, type TableName, type Tables } from '@crosstape/core';
import { Malformed } from './venue.ts';

/** What a JSON object is before anything is known of it. */
export type Fields = Readonly<Record<string, unknown>>;

export function readObject(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(value, what, 'an object');
  return value as Fields;
}

export function readArray(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(value, what, 'an array');
  return value;
}

// Readers of single values take the name of the field, and of what it is a field where that is known: trades are read
// thousands of times a second, so both are joined only for an error.

export function readText(value: unknown, what: string, of?: string): string {
  if (typeof value !== 'string' || value === '') throw wrong(value, what, 'a text', of);
  return value;
}

/** A decimal that the wire carries as text: `"69997.0"`. */
export function readDecimal(value: unknown, what: string, of?: string): number {
  const number = parseDecimal(value);
  if (number === undefined) throw wrong(value, what, 'a decimal text', of);
  return number;
}

export function readPositiveDecimal(value: unknown, what: string, of?: string): number {
  const number = readDecimal(value, what, of);
  if (number <= 0) throw wrong(value, what, 'above zero', of);
  return number;
}

/** A share of a whole: `"0.4558"`. */
export function readShare(value: unknown, what: string, of?: string): number {
  const number = readDecimal(value, what, of);
  if (number < 0 || number > 1) throw wrong(value, what, 'from 0 to 1', of);
  return number;
}

/** The share that is long, from long ÷ short. */
export function readRatioShare(value: unknown, what: string, of?: string): number {
  const ratio = readDecimal(value, what, of);
  if (ratio < 0) throw wrong(value, what, 'zero or more', of);
  return ratio / (1 + ratio);
}

/** A number that the wire carries as a JSON number. */
export function readNumber(value: unknown, what: string, of?: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(value, what, 'a number', of);
  return value;
}

export function readPositiveNumber(value: unknown, what: string, of?: string): number {
  const number = readNumber(value, what, of);
  if (number <= 0) throw wrong(value, what, 'above zero', of);
  return number;
}

/** An amount that may be nothing, but not less. */
export function notNegative(number: number, what: string): number {
  if (number < 0) throw wrong(number, what, 'zero or more');
  return number;
}

/** With these bounds any two trades can be expressed in the same whole units below 2^53. */
const TRADED_DECIMALS_MAX = 6;
const TRADED_MAX = 9e9;
const ZERO = 48;

/** A traded price or size: above zero, and within what the tape can hold exactly. */
export function readTraded(value: unknown, what: string, of?: string): number {
  const number = readPositiveDecimal(value, what, of);
  if (number >= TRADED_MAX || decimalsOf(value as string) > TRADED_DECIMALS_MAX) {
    throw wrong(value, what, `below ${TRADED_MAX} with at most ${TRADED_DECIMALS_MAX} decimals`, of);
  }
  return number;
}

/** Decimals of a decimal text, without zeros at its end. */
function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  if (point < 0) return 0;
  let end = text.length;
  while (text.charCodeAt(end - 1) === ZERO) end -= 1;
  return end - point - 1;
}

/** A number prints back the decimals that it was read from up to this many significant digits. */
const EXACT_DIGITS_MAX = 15;
/** The most decimals that a tape holds. */
const EXACT_DECIMALS_MAX = 15;
const EXACT = `of at most ${EXACT_DIGITS_MAX} digits and ${EXACT_DECIMALS_MAX} decimals`;
/** Eight decimals, as far as their digits are no more than that. */
const USUAL_UNIT = 1e8;
const USUAL_UNITS_MAX = 10 ** EXACT_DIGITS_MAX - 1;
/** Of sums that come as numbers. */
const SUM_MAX = 1e15;
const SUM_DECIMALS_MAX = 18;
const PLAIN_DECIMAL = /^\d+(?:\.\d+)?$/;
const NOT_SIGNIFICANT = /^0+|\.|0+$/g;

/** A price or size of a trade as decimal text: above zero, and a number that prints exactly these decimals. */
export function readExact(value: unknown, what: string, of?: string): number {
  // A short one is exact.
  const short = typeof value === 'string' ? shortDecimal(value) : Number.NaN;
  if (short > 0) return short;
  if (typeof value !== 'string' || !PLAIN_DECIMAL.test(value)) throw wrong(value, what, 'a decimal text', of);
  const number = Number(value);
  if (!(number > 0)) throw wrong(value, what, 'above zero', of);
  if (value.length > EXACT_DIGITS_MAX && !isExactText(value)) throw wrong(value, what, EXACT, of);
  return number;
}

function isExactText(text: string): boolean {
  const [whole = '', fraction = ''] = text.split('.');
  const decimals = fraction.replace(/0+$/, '').length;
  const digits = `${whole}${decimals === 0 ? '' : fraction}`.replace(NOT_SIGNIFICANT, '');
  return digits.length <= EXACT_DIGITS_MAX && decimals <= EXACT_DECIMALS_MAX;
}

/** The same of a JSON number. */
export function readExactNumber(value: unknown, what: string, of?: string): number {
  const number = readPositiveNumber(value, what, of);
  // Most have few decimals, which is known without printing them.
  const units = Math.round(number * USUAL_UNIT);
  if (units <= USUAL_UNITS_MAX && units / USUAL_UNIT === number) return number;
  if (Number(number.toPrecision(EXACT_DIGITS_MAX)) !== number || number < 10 ** -EXACT_DECIMALS_MAX)
    throw wrong(value, what, EXACT, of);
  return number;
}

/** The step of prices where a list has it: a decimal text or a number above zero; otherwise nothing, as for a row without. */
export function readTick(value: unknown): { readonly tick?: number } {
  const tick = typeof value === 'number' ? value : parseDecimal(value);
  return tick !== undefined && Number.isFinite(tick) && tick > 0 ? { tick } : {};
}

/** A count, id or time: a JSON integer that a double holds exactly, not negative. */
export function readInteger(value: unknown, what: string, of?: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw wrong(value, what, 'a whole number', of);
  return value as number;
}

/** The same as text: `"1673280000000"`. */
export function readIntegerText(value: unknown, what: string, of?: string): number {
  const number = readDecimal(value, what, of);
  if (!Number.isSafeInteger(number) || number < 0) throw wrong(value, what, 'a whole number', of);
  return number;
}

/** A time in UTC as text, to the millisecond: `"2025-12-08T16:11:30.590Z"`. */
export function readIsoTime(value: unknown, what: string, of?: string): number {
  const isIso = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value);
  const timeMs = isIso ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(timeMs)) throw wrong(value, what, 'a time', of);
  return timeMs;
}

/** Takes the reason why a field is left out that its row can do without. */
export type ReportOdd = (why: string) => void;

/** A field that its row can do without: nothing where it is absent, null or empty, and where it is malformed. */
export function readOptional<Value>(
  value: unknown,
  what: string,
  read: (value: unknown, what: string) => Value,
  odd: ReportOdd,
): Value | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  try {
    return read(value, what);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    odd(error.message);
    return undefined;
  }
}

/** An amount that may be nothing, as a JSON number. */
export function readNumberAmount(value: unknown, what: string): number {
  return notNegative(readNumber(value, what), what);
}

/** An amount that may be nothing, as text. */
export function readAmount(value: unknown, what: string): number {
  return notNegative(readDecimal(value, what), what);
}

/**
 * A sum of sizes as plain decimal text, because it may have more digits than a number: decimal text as it is, a JSON
 * number without the noise of the venue's own addition.
 */
export function readSum(value: unknown, what: string): string {
  if (typeof value === 'string' && PLAIN_DECIMAL.test(value)) return value;
  if (typeof value !== 'number' || !(value >= 0) || value >= SUM_MAX)
    throw wrong(value, what, 'a sum of sizes');
  const text = String(Number(value.toPrecision(EXACT_DIGITS_MAX)));
  return text.includes('e') ? Number(text).toFixed(SUM_DECIMALS_MAX) : text;
}

/** The fields that are there. */
export function present<Row extends object>(
  fields: Row,
): { readonly [Name in keyof Row]?: Exclude<Row[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** Of lists of contracts, which sums and recordings go by, and of what is sent or paged once: beyond it none is kept. */
export const MOST = 0.5;
const MOSTLY_REFUSED = /^\d+ of \d+ rows: /;

/** The rows of an answer that are valid, and why others were left out. */
export interface ParsedRows<Row> {
  readonly rows: readonly Row[];
  readonly refused: readonly string[];
}

/**
 * Reads each row, leaving out those that are malformed. When more than half are, the first reason says how many. The whole
 * answer is refused when no row is left then, or when more than a share of the rows is malformed.
 */
export function readRows<Row>(
  count: number,
  readRow: (index: number, odd: ReportOdd) => Row | undefined,
  refusedShareMax = 1,
): ParsedRows<Row> {
  const rows: Row[] = [];
  const refused: string[] = [];
  const odd: string[] = [];
  const noteOdd = (why: string): void => void odd.push(why);
  for (let i = 0; i < count; i += 1) {
    try {
      const row = readRow(i, noteOdd);
      if (row !== undefined) rows.push(row);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      refused.push(error.message);
    }
  }
  if (refused.length + odd.length === 0) return { rows, refused };
  const summary = `${refused.length} of ${count} rows: ${refused[0]}`;
  const isMost = refused.length > count * MOST;
  if (refused.length > count * refusedShareMax || (isMost && rows.length === 0)) throw new Malformed(summary);
  return { rows, refused: [...new Set([...(isMost ? [summary] : []), ...refused, ...odd])] };
}

/** Whether most of the rows that these reasons are about were malformed. */
export function areMostRefused(refused: readonly string[]): boolean {
  return refused.some((why) => MOSTLY_REFUSED.test(why));
}

/** How one row of an answer becomes a row of each table; `undefined` where it has nothing to say. */
type RowReaders<Row> = {
  readonly [Name in TableName]?: (row: Row, odd: ReportOdd) => Tables[Name] | undefined;
};

/**
 * Several tables from the same rows, each parsed separately: a malformed field drops only its own table. A table with
 * mostly malformed rows is named, and has the others; when nothing is left of any, the whole answer is refused. Rows that
 * were refused before are reported, too.
 */
export function readTables<Row, Readers extends RowReaders<Row>>(
  { rows, refused: refusedRows }: ParsedRows<Row>,
  readers: Readers,
): { readonly [Name in keyof Readers & TableName]: readonly Tables[Name][] } & Required<
  Pick<ParsedTables, 'refused'>
> &
  Pick<ParsedTables, 'unread'> {
  const tables: Partial<Record<TableName, readonly unknown[]>> = {};
  const refused: string[] = [];
  const unread: TableName[] = [];
  let empty = 0;
  for (const [name, read] of Object.entries(readers) as [
    TableName,
    (row: Row, odd: ReportOdd) => unknown,
  ][]) {
    try {
      const reported = readRows(rows.length, (i, odd) => read(rows[i] as Row, odd));
      tables[name] = reported.rows;
      refused.push(...reported.refused);
      if (areMostRefused(reported.refused)) unread.push(name);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      tables[name] = [];
      refused.push(error.message);
      unread.push(name);
      empty += 1;
    }
  }
  const first = refused[0];
  if (first !== undefined && empty === Object.keys(readers).length) throw new Malformed(first);
  const allRefused = [...new Set([...refusedRows, ...refused])];
  return { ...tables, refused: allRefused, ...(unread.length > 0 && { unread }) } as ReturnType<
    typeof readTables<Row, Readers>
  >;
}

/** A value that is not what it should be. */
export function wrong(value: unknown, what: string, wanted: string, of?: string): Malformed {
  const seen = JSON.stringify(value) ?? 'nothing';
  const field = of === undefined ? what : `${of} ${what}`;
  return new Malformed(`${field} is not ${wanted}: ${seen.length > 60 ? `${seen.slice(0, 60)}…` : seen}`);
}
