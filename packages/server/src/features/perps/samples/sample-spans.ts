import { DAY_MS, HOUR_MS, intervalStart, MINUTE_MS } from '@crosstape/core';
import type { SampleKind, SampleSpan, VenueSamples } from '@crosstape/venues';
import { EMPTY_MAX } from '../../backfill/backfill.ts';
import type { BackfillState } from '../../backfill/backfill-table.ts';

/** After a full hour venues need some minutes until they have its ratio [K]. */
const RATIO_DELAY_MS = 10 * MINUTE_MS;

/** Hours that are requested next. */
export interface NextSpan extends Pick<SampleSpan, 'fromMs' | 'toMs'> {
  /** `first` of the series, `newer` than the stored hours, or `older`. */
  readonly place: 'first' | 'newer' | 'older';
  /** Its end is the newest hour that the venue has. */
  readonly isNewest: boolean;
}

export interface SpanOptions {
  readonly samples: Pick<VenueSamples, 'kind' | 'spanMs' | 'reachMs'>;
  readonly state: BackfillState | undefined;
  readonly nowMs: number;
  /** How many days of hours are requested. */
  readonly days: number;
}

/** Ratios are not recorded from current figures: their hours are requested as they end. */
function isContinued(kind: SampleKind): boolean {
  return kind === 'globalLongs' || kind === 'topLongs';
}

/** The next hours of a series: newer ones before older ones; `undefined` if there are none to request now. */
export function nextSpan({ samples, state, nowMs, days }: SpanOptions): NextSpan | undefined {
  const { kind, spanMs, reachMs = Number.POSITIVE_INFINITY } = samples;
  const oldestMs = intervalStart(nowMs - Math.min(days * DAY_MS, reachMs), HOUR_MS) + HOUR_MS;
  const endMs = isContinued(kind)
    ? intervalStart(nowMs - RATIO_DELAY_MS, HOUR_MS) + HOUR_MS
    : intervalStart(nowMs, HOUR_MS);
  // Once an hour: a row that was late is requested with the next one.
  if (state?.to !== undefined && state.askedTo !== endMs) {
    const fromMs = Math.max(state.to, oldestMs);
    const toMs = Math.min(endMs, fromMs + spanMs);
    if (fromMs < toMs) return { fromMs, toMs, place: 'newer', isNewest: toMs === endMs };
  }
  if (state && state.empty >= EMPTY_MAX) return undefined;
  const toMs = state?.from ?? endMs;
  const fromMs = Math.max(oldestMs, toMs - spanMs);
  if (fromMs >= toMs) return undefined;
  return { fromMs, toMs, place: state ? 'older' : 'first', isNewest: toMs === endMs };
}

/** What an answer had of a span. */
export interface SpanAnswer {
  /** Since when everything is there. */
  readonly fromMs: number;
  readonly isEmpty: boolean;
  /** Of its newest row. */
  readonly newestTs: number | undefined;
}

/** The state of a series after an answer. */
export function stateAfter(
  kind: SampleKind,
  span: NextSpan,
  state: BackfillState | undefined,
  { fromMs, isEmpty, newestTs }: SpanAnswer,
): BackfillState {
  const older = { from: fromMs, empty: isEmpty ? (state?.empty ?? 0) + 1 : 0 };
  if (!isContinued(kind)) return older;
  if (state && span.place === 'older') return { ...state, ...older };
  // The newest rows may be late; between rows that are there, none comes later.
  const lateFrom = newestTs === undefined ? span.fromMs : newestTs + HOUR_MS;
  const newer = { to: span.isNewest ? lateFrom : span.toMs, askedTo: span.toMs };
  return { ...(state ?? older), ...newer };
}
