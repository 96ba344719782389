import { printTable } from '../print-table.ts';

/** No cell is longer than this; the rest is told by `--json`. */
const CELL_CHARS_MAX = 60;
/** Times of this century in milliseconds are printed as times. */
const TIME_MIN_MS = 946_684_800_000;

type Row = Readonly<Record<string, unknown>>;

/** Records as lines under their names: numbers to the right, times as times, what is nested as JSON. */
export function recordTable(rows: readonly Row[]): string {
  if (rows.length === 0) return '(nothing)';
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isNumber = (name: string): boolean =>
    rows.every(({ [name]: value }) => value === undefined || typeof value === 'number');
  const numbers = names.flatMap((name, i) => (isNumber(name) ? [i] : []));
  const cells = rows.map((row) => names.map((name) => cellOf(name, row[name])));
  return printTable([names, ...cells], new Set(numbers));
}

function cellOf(name: string, value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'number' && value >= TIME_MIN_MS && /(^t|^ts|At|Ts|Ms)$/.test(name)) {
    return new Date(value).toISOString();
  }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length <= CELL_CHARS_MAX ? text : `${text.slice(0, CELL_CHARS_MAX - 1)}…`;
}
