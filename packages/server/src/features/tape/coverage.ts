import type { CoverageState, Gap, Span } from './gap-ledger.ts';

/** An interval of a coin's tape and its state: half open, in ms. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly state: CoverageState;
}

export interface CoverageOptions {
  readonly from: number;
  readonly to: number;
  /** When the feed was up. */
  readonly spans: readonly Span[];
  /** Gaps in between. */
  readonly gaps: readonly Omit<Gap, 'coin'>[];
}

/** From bad to good: where two entries overlap, the worse one wins. */
const ranking: readonly CoverageState[] = ['missing', 'partial', 'refilled', 'complete'];

/**
 * Splits a range into intervals of one state each, without gaps. Time with a connected feed is complete unless a gap
 * says otherwise; time without any information is missing.
 */
export function coverageOf({ from, to, spans, gaps }: CoverageOptions): readonly Stretch[] {
  const up = spans.map((span): Stretch => ({ from: span.from, to: span.to, state: 'complete' }));
  const edges = [...up, ...gaps].flatMap(({ from: a, to: b, state }) => {
    const [start, end] = [Math.max(a, from), Math.min(b, to)];
    return start < end
      ? [
          { at: start, state, step: 1 },
          { at: end, state, step: -1 },
        ]
      : [];
  });
  edges.sort((a, b) => a.at - b.at);
  // How many entries of each state speak of the time after an edge.
  const open = { missing: 0, partial: 0, refilled: 0, complete: 0 };
  const stretches: Stretch[] = [];
  let start = from;
  const cutAt = (end: number): void => {
    if (end <= start) return;
    const state = ranking.find((one) => open[one] > 0) ?? 'missing';
    const last = stretches.at(-1);
    if (last?.state === state) stretches[stretches.length - 1] = { ...last, to: end };
    else stretches.push({ from: start, to: end, state });
    start = end;
  };
  for (const { at, state, step } of edges) {
    cutAt(at);
    open[state] += step;
  }
  cutAt(to);
  return stretches;
}

/** The index of the first of ordered stretches that ends after a moment. */
export function firstAfter(stretches: readonly Span[], ms: number): number {
  let [low, high] = [0, stretches.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((stretches[middle] as Span).to > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}
