import { printTable } from '../print-table.ts';

/** Longer cells are cut; `--json` has everything. */
const CELL_CHARS_MAX = 60;
/** Milliseconds of this century are printed as times. */
const TIME_MIN_MS = 946_684_800_000;

type Row = Readonly<Record<string, unknown>>;

/** Records as a table: right-aligned numbers, formatted times, nested objects as columns, lists as JSON. */
export function recordTable(records: readonly Row[]): string {
  if (records.length === 0) return '(nothing)';
  const rows = records.map((record) => flatten(record));
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isNumber = (name: string): boolean =>
    rows.every(({ [name]: value }) => value === undefined || typeof value === 'number');
  const numbers = names.flatMap((name, i) => (isNumber(name) ? [i] : []));
  const cells = rows.map((row) => names.map((name) => cellOf(name, row[name])));
  return printTable([names, ...cells], new Set(numbers));
}

/** `{ native: { rate: 1 } }` is `{ 'native.rate': 1 }`. */
function flatten(record: Row, prefix = ''): Row {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      isRecord(value) ? Object.entries(flatten(value, `${prefix}${name}.`)) : [[prefix + name, value]],
    ),
  );
}

function isRecord(value: unknown): value is Row {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  );
}

function cellOf(name: string, value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'number' && value >= TIME_MIN_MS && /(^t|^ts|At|Ts|Ms)$/.test(name)) {
    return new Date(value).toISOString();
  }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length <= CELL_CHARS_MAX ? text : `${text.slice(0, CELL_CHARS_MAX - 1)}…`;
}
