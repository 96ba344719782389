/** No cell is longer than this; the rest is told by `--json`. */
const CELL_CHARS_MAX = 60;
/** Times of this century in milliseconds are printed as times. */
const TIME_MIN_MS = 946_684_800_000;

/** Records as lines under their names: numbers to the right, times as times, what is nested as JSON. */
export function recordTable(rows: readonly Readonly<Record<string, unknown>>[]): string {
  if (rows.length === 0) return '(nothing)';
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.map((name) => {
    const cells = rows.map((row) => cellOf(name, row[name]));
    const isRight = rows.every((row) => row[name] === undefined || typeof row[name] === 'number');
    const width = Math.max(name.length, ...cells.map((cell) => cell.length));
    return { name, cells, pad: (text: string) => (isRight ? text.padStart(width) : text.padEnd(width)) };
  });
  const line = (textOf: (column: (typeof columns)[number]) => string): string =>
    columns
      .map((column) => column.pad(textOf(column)))
      .join('  ')
      .trimEnd();
  return [line(({ name }) => name), ...rows.map((_, i) => line(({ cells }) => cells[i] ?? ''))].join('\n');
}

export function cellOf(name: string, value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'number' && value >= TIME_MIN_MS && /(^t|^ts|At|Ts|Ms)$/.test(name)) {
    return new Date(value).toISOString();
  }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length <= CELL_CHARS_MAX ? text : `${text.slice(0, CELL_CHARS_MAX - 1)}…`;
}
