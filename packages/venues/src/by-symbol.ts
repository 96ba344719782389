/** The rows of one of the venue's tables by the venue's own spelling; none where the table is not there yet. */
export function bySymbol<Row extends { readonly symbol: string }>(
  rows: readonly Row[] = [],
): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.symbol, row]));
}
