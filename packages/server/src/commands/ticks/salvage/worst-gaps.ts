import type { Gap } from '../../../features/tape/gap-ledger.ts';

const badness: Readonly<Record<Gap['state'], number>> = { refilled: 1, partial: 2, missing: 3 };

/** Merges overlapping gaps of one coin; where several overlap, the worst one wins. */
export function worstGaps(gaps: readonly Gap[]): readonly Gap[] {
  const edges = [...new Set(gaps.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b);
  const joined: Gap[] = [];
  for (const [i, from] of edges.slice(0, -1).entries()) {
    const to = edges[i + 1] as number;
    const worst = gaps
      .filter((gap) => gap.from <= from && gap.to >= to)
      .toSorted((a, b) => badness[b.state] - badness[a.state])[0];
    if (!worst) continue;
    const last = joined.at(-1);
    const isSame = last?.to === from && last.state === worst.state && last.reason === worst.reason;
    if (last && isSame) joined[joined.length - 1] = { ...last, to };
    else joined.push({ ...worst, from, to });
  }
  return joined;
}
