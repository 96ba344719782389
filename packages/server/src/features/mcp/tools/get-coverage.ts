import { DAY_MS } from '@crosstape/core';
import { Type } from 'typebox';
import { Failure } from '../../../platform/errors.ts';
import { marketInput, tapeOf, timeInput } from '../inputs.ts';
import type { Rest, RestMeta } from '../rest.ts';
import { type Coverage, type Gap, tool } from '../tool.ts';
import { percent, time } from '../wording.ts';

interface Span {
  readonly from: number;
  readonly to: number;
  readonly state: 'complete' | 'refilled' | 'partial' | 'missing';
  readonly reason?: string;
}

export interface TapeCoverage {
  readonly spans: readonly Span[];
  readonly completePct: number;
  readonly coverage: Coverage;
  readonly gaps: readonly Gap[];
  readonly meta: RestMeta;
}

type Range = ReturnType<typeof tapeOf>['query'] & {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

/** A summary of `/coverage`. The future is a gap as well, but does not count in `completePct`. */
export async function readCoverage(rest: Rest, range: Range): Promise<TapeCoverage> {
  const { data, meta } = await rest.get<readonly Span[]>('/coverage', range);
  const total = data.reduce((sum, { from, to }) => sum + to - from, 0);
  const past = data
    .filter(({ state }) => state === 'missing' || state === 'partial')
    .map(({ from, to, reason, state }) => ({ from, to, reason: reason ?? state }));
  const lost = past.reduce((sum, { from, to }) => sum + to - from, 0);
  const completePct = total === 0 ? 0 : (1 - lost / total) * 100;
  const { from = 0, to = 0 } = range;
  const future = { from: Math.max(from, rest.nowMs), to, reason: 'in the future' };
  const gaps = to > rest.nowMs ? [...past, future] : past;
  const coverage = total === 0 ? 'unknown' : gaps.length === 0 ? 'complete' : 'partial';
  return { spans: data, completePct, coverage, gaps, meta };
}

/** The coverage of figures that are made from a tape; `unknown` where `/coverage` cannot answer. */
export async function coverageOfFigures(
  rest: Rest,
  range: Range,
): Promise<Pick<TapeCoverage, 'coverage' | 'gaps'>> {
  try {
    return await readCoverage(rest, range);
  } catch (error) {
    if (error instanceof Failure) return { coverage: 'unknown', gaps: [] };
    throw error;
  }
}

export const getCoverage = tool({
  name: 'get_coverage',
  title: 'How complete the tape is',
  description:
    'Returns how complete the recorded trades of one market are over a time range: the share of time that is complete, and every gap with its reason. Use it before relying on get_bars or volumes; other tools report their own coverage. States are complete, refilled (fetched again), partial (some trades may be missing) and missing. Coins of the primary venue are always recorded, markets of other venues only if the service is set to; without a range it covers the last 24 hours.',
  input: Type.Object(
    {
      market: marketInput,
      from: timeInput('Start of the range', '24 hours ago'),
      to: timeInput('End of the range, not included', 'now'),
    },
    { additionalProperties: false },
  ),
  async call({ market, from, to }, rest) {
    const { id, query } = tapeOf(market);
    const { spans, completePct, coverage, gaps, meta } = await readCoverage(rest, { ...query, from, to });
    const first = spans[0]?.from ?? from ?? rest.nowMs - DAY_MS;
    const last = spans.at(-1)?.to ?? to ?? rest.nowMs;
    const longest = gaps.toSorted((a, b) => b.to - b.from - (a.to - a.from))[0];
    const missing = longest
      ? `${gaps.length} ${gaps.length === 1 ? 'gap, which' : 'gaps; the longest'} lasts ${Math.round((longest.to - longest.from) / 1_000)} s from ${time(longest.from)} (${longest.reason})`
      : 'no gap';
    return {
      text: `The tape of ${id} from ${time(first)} to ${time(last)} is ${percent(completePct, 3)} complete, with ${missing}.`,
      metas: [meta],
      coverage,
      gaps,
      units: {
        from: 'ms since the Unix epoch',
        to: 'ms since the Unix epoch',
        completePct: 'percent of time',
      },
      figures: { market: id, completePct, spans },
    };
  },
});
