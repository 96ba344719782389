import { plainText } from '../platform/plain-text.ts';

/** Rows under a header, in columns; `right` ones are right-aligned. */
export function printTable(
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): string {
  const plain = rows.map((row) => row.map(plainText));
  const widths = (plain[0] ?? []).map((_, i) => Math.max(...plain.map((row) => (row[i] ?? '').length)));
  const pad = (cell: string, i: number): string =>
    right.has(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0);
  return plain.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}
