import type { Static, TObject } from 'typebox';
import type { Attribution } from '../../http/attribution.ts';
import type { Rest, RestMeta } from './rest.ts';

/** How much of the request the figures cover. */
export type Coverage = 'complete' | 'partial' | 'unknown';

export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** The answer of a tool: a paragraph that a model can quote, and the figures behind it. */
export interface ToolResult {
  readonly text: string;
  /** Rows too many for the paragraph, as CSV. */
  readonly csv?: string;
  /** How to narrow the request when rows were left out. */
  readonly hint?: string;
  /** REST metadata of the answers that it was made from; the first one dates the result. */
  readonly metas: readonly RestMeta[];
  readonly coverage?: Coverage;
  readonly gaps?: readonly Gap[];
  /** Whether any figure is inferred rather than reported by a venue. */
  readonly inferred?: boolean;
  readonly units: Readonly<Record<string, string>>;
  readonly figures: Figures;
}

/** Fields of every result; figures never use these names. */
type CommonField =
  | 'asOf'
  | 'ageMs'
  | 'source'
  | 'attribution'
  | 'coverage'
  | 'gaps'
  | 'inferred'
  | 'units'
  | 'hint';

/** Under the field names of the REST interface, but for those that every result has with another meaning. */
type Figures = Readonly<Record<string, unknown>> & { readonly [Field in CommonField]?: never };

export interface Tool<Input extends TObject = TObject> {
  readonly name: string;
  readonly title: string;
  /** What it returns, its limits, and when to use it or another tool. */
  readonly description: string;
  readonly input: Input;
  call(input: Static<Input>, rest: Rest): Promise<ToolResult>;
}

export function tool<Input extends TObject>(definition: Tool<Input>): Tool {
  return definition;
}

/** `structuredContent`: the common fields and the figures. */
export function structuredOf(result: ToolResult, nowMs: number): Record<string, unknown> {
  const { metas, gaps = [], inferred = false, units, figures, hint } = result;
  const asOf = metas[0]?.fetchedAt ?? nowMs;
  const credits = creditsOf(result);
  const coverage = result.coverage ?? (metas.some(isPartial) ? 'partial' : 'complete');
  const common = {
    asOf,
    ageMs: Math.max(0, nowMs - asOf),
    source: [...new Set(metas.flatMap(({ source }) => source.split('+')))].join('+'),
    ...(credits.length > 0 && { attribution: credits }),
    coverage,
    ...(coverage === 'partial' && { gaps: distinct(gaps) }),
    inferred,
    units,
    ...(hint !== undefined && { hint }),
  };
  // The common fields come first, and win over a figure with the same name.
  return { ...common, ...figures, ...common };
}

/** Credits that the terms of its sources require. */
export function creditsOf({ metas }: Pick<ToolResult, 'metas'>): Static<typeof Attribution> {
  const credits = metas.flatMap(({ attribution = [] }) => attribution);
  return [...new Map(credits.map((credit) => [credit.source, credit])).values()];
}

/** Oldest first, unique: without gaps contained in another one. */
function distinct(gaps: readonly Gap[]): readonly Gap[] {
  const kept: Gap[] = [];
  for (const gap of gaps.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (!kept.some(({ from, to }) => from <= gap.from && gap.to <= to)) kept.push(gap);
  }
  return kept;
}

function isPartial({ partial, stale, notListed, unknown }: RestMeta): boolean {
  return partial === true || stale === true || notListed !== undefined || unknown !== undefined;
}
