import type { CoverageState, Gap, Span } from '../store/gap-ledger.ts';

/** A stretch of a coin's tape and what is known of it: half open, in ms. */
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
  /** What became of the time in between. */
  readonly gaps: readonly Omit<Gap, 'coin'>[];
}

/** From bad to good: where two entries speak of the same time, the worse one holds. */
const ranking: readonly CoverageState[] = ['missing', 'partial', 'refilled', 'complete'];

/**
 * Cuts a range into stretches of one state each, without a hole. Time in which the feed was up is complete unless a gap
 * says otherwise; time of which nobody says anything is missing.
 */
export function coverageOf({ from, to, spans, gaps }: CoverageOptions): readonly Stretch[] {
  const cuts = new Set([from, to]);
  for (const { from: a, to: b } of [...spans, ...gaps]) {
    if (a > from && a < to) cuts.add(a);
    if (b > from && b < to) cuts.add(b);
  }
  const edges = [...cuts].toSorted((a, b) => a - b);
  const stretches: Stretch[] = [];
  for (let i = 0; i + 1 < edges.length; i += 1) {
    const [start, end] = [edges[i] as number, edges[i + 1] as number];
    const state = stateOf(start, end, spans, gaps);
    const last = stretches.at(-1);
    if (last?.state === state) stretches[stretches.length - 1] = { ...last, to: end };
    else stretches.push({ from: start, to: end, state });
  }
  return stretches;
}

function stateOf(
  start: number,
  end: number,
  spans: readonly Span[],
  gaps: CoverageOptions['gaps'],
): CoverageState {
  const covers = (stretch: Span): boolean => stretch.from <= start && stretch.to >= end;
  const told = gaps.filter(covers).map((gap) => gap.state);
  const worst = ranking.find((state) => told.includes(state as Gap['state']));
  return worst ?? (spans.some(covers) ? 'complete' : 'missing');
}
