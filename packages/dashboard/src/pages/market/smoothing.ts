/** A moving mean of some values; it is known once `count` is its length. */
export interface Mean {
  readonly count: number;
  readonly mean: number;
}

export const noMean: Mean = { count: 0, mean: 0 };

/** Exponential: it begins as the mean of the first `length`. */
export function exponential({ count, mean }: Mean, value: number, length: number): Mean {
  const next = Math.min(length, count + 1);
  const share = count < length ? 1 / next : 2 / (length + 1);
  return { count: next, mean: mean + (value - mean) * share };
}

/** By Wilder: the mean of the first `length`, then each value has a share of one in `length`. */
export function wilder({ count, mean }: Mean, value: number, length: number): Mean {
  const next = Math.min(length, count + 1);
  return { count: next, mean: mean + (value - mean) / next };
}

/** The newest values, at most `length`. */
export function newest(values: readonly number[], value: number, length: number): readonly number[] {
  return length === 1 ? [value] : [...values.slice(1 - length), value];
}

/** The mean of as many values as `length`; `undefined` while there are fewer. */
export function meanOf(values: readonly number[], length: number): number | undefined {
  return values.length < length ? undefined : values.reduce((sum, value) => sum + value, 0) / length;
}
