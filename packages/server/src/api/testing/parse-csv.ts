/** The cells of a CSV text by line, read by the rules of RFC 4180. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const found = cell.exec(text);
    if (!found) throw new Error(`not CSV: ${text.slice(at, at + 80)}`);
    const [, quoted, plain = '', end] = found;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    lines.push(cells);
    cells = [];
  }
  return lines;
}

/** Every figure of a record under its dotted name, as CSV prints it. */
export function leavesOf(record: object, prefix = ''): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  for (const [name, value] of Object.entries(record) as [string, unknown][]) {
    const isNested = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isNested) for (const [key, text] of leavesOf(value, `${prefix}${name}.`)) leaves.set(key, text);
    else if (value !== null)
      leaves.set(prefix + name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return leaves;
}
