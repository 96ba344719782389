/** A liquidation, as far as a row shows it. */
interface Row {
  readonly ts: number;
  readonly venue: string;
  readonly position: 'long' | 'short';
  readonly price: number;
  readonly size: number;
}

/** Live liquidations and recorded ones, newest first. One that is in both is shown once. */
export function liquidationRows<Live extends Row, Recorded extends Row>(
  live: readonly Live[],
  recorded: readonly Recorded[],
  rowsMax: number,
): readonly (Live | Recorded)[] {
  // Several of one millisecond may be equal: as many are shown as the list that has more of them.
  const left = new Map<string, number>();
  for (const row of live) left.set(nameOf(row), (left.get(nameOf(row)) ?? 0) + 1);
  const others = recorded.filter((row) => {
    const count = left.get(nameOf(row)) ?? 0;
    left.set(nameOf(row), count - 1);
    return count <= 0;
  });
  return [...live, ...others].toSorted((a, b) => b.ts - a.ts).slice(0, rowsMax);
}

function nameOf({ ts, venue, position, price, size }: Row): string {
  return `${ts} ${venue} ${position} ${price} ${size}`;
}
