import { createHash } from 'node:crypto';
import { type Aggregate, aggregateIdOf, type BarSpec, DAY_MS, validateSpec } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import type { RecordedMarket } from '../../topics.ts';

export const DAYS_MAX = 7;
export const DAYS_DEFAULT = 1;
/** Between `from` and `to`. */
export const WINDOW_DAYS_MAX = 366;
const HASH_CHARS = 32;

/** A requested build; the coin is known. */
export interface RotationRequest {
  readonly coin: string;
  /** The market, if not the primary venue's. */
  readonly market?: RecordedMarket;
  /** Every recorded market of the coin, as one tape. */
  readonly aggregate?: Aggregate;
  readonly kind: string;
  readonly params?: unknown;
  /** How far back from now. */
  readonly days?: number;
  /** Instead of `days`: `from <= ts < to`, in ms; `to` omitted: now. */
  readonly from?: number;
  readonly to?: number;
  /** The price increment; omitted, the venue's own at the last price. */
  readonly tick?: number;
  /** `true`: only from the newest trades; `false`: never; absent: only if there is nothing else. */
  readonly degraded?: boolean;
}

/** Canonical: the same for identical requests. */
export interface RotationSpec {
  readonly coin: string;
  readonly market?: RecordedMarket;
  readonly aggregate?: Aggregate;
  readonly bars: BarSpec;
  readonly days: number;
  /** A fixed window instead of `days`; without an end it extends to now. */
  readonly window?: { readonly fromTs: number; readonly toTs?: number };
  readonly degraded: boolean | null;
}

/** The window of a build that begins now. */
export function windowOf({ days, window }: RotationSpec, nowMs: number): { fromTs: number; toTs: number } {
  if (!window) return { fromTs: Math.round(nowMs - days * DAY_MS), toTs: nowMs };
  return { fromTs: window.fromTs, toTs: Math.min(window.toTs ?? nowMs, nowMs) };
}

/** Fills in defaults, or returns a sentence about what is wrong. */
export function specOf(request: RotationRequest, defaultTick: () => number): RotationSpec {
  const { coin, market, aggregate, kind, params, days = DAYS_DEFAULT, degraded = null } = request;
  if (!(days > 0 && days <= DAYS_MAX)) {
    throw new Failure('bad_request', `Field \`days\` must be a number above 0 and at most ${DAYS_MAX}.`);
  }
  if (aggregate && degraded === true)
    throw new Failure('bad_request', 'Field `degraded`: bars of several markets need the record.');
  const window = fixedWindow(request);
  // Errors of kind and parameters are reported before a price is requested.
  const check = validateSpec(kind, params, request.tick ?? 1);
  if ('error' in check) throw new Failure('bad_request', named(check.error));
  const bars = request.tick === undefined ? { ...check.spec, tick: defaultTick() } : check.spec;
  const of = { coin, ...(market && { market }), ...(aggregate && { aggregate }) };
  return { ...of, bars, days, ...(window && { window }), degraded };
}

function fixedWindow({ days, from, to, aggregate }: RotationRequest): RotationSpec['window'] {
  if (from === undefined) {
    if (to !== undefined) throw new Failure('bad_request', 'Field `to` needs `from`.');
    return undefined;
  }
  if (days !== undefined) throw new Failure('bad_request', 'Field `days` cannot be used with `from`.');
  if (to !== undefined && to <= from)
    throw new Failure('bad_request', 'Field `from` must be less than `to`.');
  const daysMax = aggregate ? DAYS_MAX : WINDOW_DAYS_MAX;
  if (to !== undefined && to - from > daysMax * DAY_MS)
    throw new Failure('bad_request', `Fields \`from\` and \`to\` must be at most ${daysMax} days apart.`);
  return { fromTs: from, ...(to !== undefined && { toTs: to }) };
}

/** A name for a spec, and for one with a moment. */
export function hashOf(spec: RotationSpec, ...more: readonly number[]): string {
  const { coin, market, aggregate, bars, days, window, degraded } = spec;
  const params = Object.entries(bars.params);
  const name = aggregate ? aggregateIdOf(aggregate) : (market?.id ?? coin);
  const parts = [name, bars.kind, params, bars.tick, days, degraded, ...more];
  const text = JSON.stringify(window ? [...parts, window.fromTs, window.toTs ?? null] : parts);
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARS);
}

/** `params.volume must be …` → ``Field `params.volume` must be …``, as for other fields. */
function named(sentence: string): string {
  const at = sentence.indexOf(' ');
  return `Field \`${sentence.slice(0, at)}\`${sentence.slice(at)}`;
}
