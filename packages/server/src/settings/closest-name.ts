/** Maximum number of wrong letters in a typing error; fewer in a short word. */
const DISTANCE_MAX = 3;

/** The name that was probably meant, if one is close enough. */
export function closestName(word: string, names: readonly string[]): string | undefined {
  const distances = names.map((name) => [distance(word, name), name] as const);
  const [nearest] = distances.toSorted(([a], [b]) => a - b);
  if (!nearest) return undefined;
  return nearest[0] <= Math.min(DISTANCE_MAX, Math.ceil(word.length / 4)) ? nearest[1] : undefined;
}

/** ` did you mean NAME?`, or nothing. */
export function didYouMean(word: string, names: readonly string[], prefix = ''): string {
  const name = closestName(word, names);
  return name === undefined ? '' : ` did you mean ${prefix}${name}?`;
}

/** Inserted, removed, replaced or swapped letters between two words (optimal string alignment). */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
