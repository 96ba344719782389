import { createHash } from 'node:crypto';
import { type BarSpec, validateSpec } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import type { RecordedMarket } from '../../topics.ts';

export const DAYS_MAX = 7;
export const DAYS_DEFAULT = 1;
const HASH_CHARS = 32;

/** A build as somebody asks for it; the coin is known. */
export interface RotationRequest {
  readonly coin: string;
  /** Whose trades, where these are not the primary venue's. */
  readonly market?: RecordedMarket;
  readonly kind: string;
  readonly params?: unknown;
  /** How far back from now. */
  readonly days?: number;
  /** The price increment; omitted, the venue's own at the last price. */
  readonly tick?: number;
  /** `true`: from the newest trades only; `false`: never so; omitted: only when nothing else is to be had. */
  readonly degraded?: boolean;
}

/** The same for everyone who asks for the same. */
export interface RotationSpec {
  readonly coin: string;
  readonly market?: RecordedMarket;
  readonly bars: BarSpec;
  readonly days: number;
  readonly degraded: boolean | null;
}

/** Fills in what was left out, or says in a sentence what is wrong. */
export function specOf(request: RotationRequest, defaultTick: () => number): RotationSpec {
  const { coin, market, kind, params, days = DAYS_DEFAULT, degraded = null } = request;
  if (!(days > 0 && days <= DAYS_MAX)) {
    throw new Failure('bad_request', `Field \`days\` must be a number above 0 and at most ${DAYS_MAX}.`);
  }
  // Errors of kind and parameters are reported before a price is requested.
  const check = validateSpec(kind, params, request.tick ?? 1);
  if ('error' in check) throw new Failure('bad_request', named(check.error));
  const bars = request.tick === undefined ? { ...check.spec, tick: defaultTick() } : check.spec;
  return { coin, ...(market && { market }), bars, days, degraded };
}

/** A name for a spec, and for one with a moment. */
export function hashOf(spec: RotationSpec, ...more: readonly number[]): string {
  const { coin, market, bars, days, degraded } = spec;
  const params = Object.entries(bars.params);
  const text = JSON.stringify([market?.id ?? coin, bars.kind, params, bars.tick, days, degraded, ...more]);
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARS);
}

/** `params.volume must be …` → ``Field `params.volume` must be …``, as for other fields. */
function named(sentence: string): string {
  const at = sentence.indexOf(' ');
  return `Field \`${sentence.slice(0, at)}\`${sentence.slice(at)}`;
}
