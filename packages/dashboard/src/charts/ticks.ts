const STEPS = [1, 2, 2.5, 5, 10] as const;

/** About this many round numbers between two ends. */
export function roundTicks(low: number, high: number, count: number): readonly number[] {
  const span = high - low;
  if (!(span > 0) || count < 1) return [];
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = power * (STEPS.find((one) => power * one >= span / count) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** Assigns overlapping labels to separate rows, by where each starts and ends. */
export function rowsOf(labels: readonly { readonly from: number; readonly to: number }[]): readonly number[] {
  const ends: number[] = [];
  const rows = Array.from<number>({ length: labels.length });
  const order = labels.map((_, i) => i).toSorted((a, b) => (labels[a]?.from ?? 0) - (labels[b]?.from ?? 0));
  for (const i of order) {
    const { from = 0, to = 0 } = labels[i] ?? {};
    const free = ends.findIndex((end) => end <= from);
    const row = free < 0 ? ends.length : free;
    ends[row] = to;
    rows[i] = row;
  }
  return rows;
}
