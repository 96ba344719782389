import type { Sample } from '../indicator.ts';

/** Maximum time that a sample is valid until the next one. */
const HELD_MS = 2 * 3_600_000;

/**
 * Sum of several lists of samples, at every time with a new sample of one. Times at which one has none, or only an old
 * one, are left out: a partial sum would look like a change.
 */
function joined(
  lists: readonly (readonly Sample[])[],
  valueOf: (values: readonly number[]) => number | undefined,
): readonly Sample[] {
  if (lists.length === 0 || lists.some(({ length }) => length === 0)) return [];
  const found: Sample[] = [];
  const places = lists.map(() => -1);
  for (;;) {
    let ts = Infinity;
    for (const [i, list] of lists.entries()) ts = Math.min(ts, list[places[i]! + 1]?.ts ?? Infinity);
    if (ts === Infinity) return found;
    const values: number[] = [];
    for (const [i, list] of lists.entries()) {
      while ((list[places[i]! + 1]?.ts ?? Infinity) <= ts) places[i]! += 1;
      const sample = list[places[i]!];
      if (sample && ts - sample.ts <= HELD_MS) values.push(sample.value);
    }
    const value = values.length === lists.length ? valueOf(values) : undefined;
    if (value !== undefined) found.push({ ts, value });
  }
}

/** The sum of several lists. */
export function summed(lists: readonly (readonly Sample[])[]): readonly Sample[] {
  return joined(lists, (values) => values.reduce((sum, value) => sum + value, 0));
}

/** The mean of several lists, each with its weights. */
export function weighted(
  pairs: readonly { readonly rates: readonly Sample[]; readonly weights: readonly Sample[] }[],
): readonly Sample[] {
  const lists = pairs.flatMap(({ rates, weights }) => [rates, weights]);
  return joined(lists, (values) => {
    let [sum, weight] = [0, 0];
    for (let i = 0; i < values.length; i += 2) {
      sum += values[i]! * values[i + 1]!;
      weight += values[i + 1]!;
    }
    return weight > 0 ? sum / weight : undefined;
  });
}
