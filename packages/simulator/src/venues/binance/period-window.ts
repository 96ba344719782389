import { DAY_MS, MINUTE_MS } from '@crosstape/core';
import type { Question } from '../wire.ts';

/** Periods of the calls below `/futures/data`. */
export const PERIOD_MS: Readonly<Record<string, number>> = {
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '2h': 120 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '6h': 360 * MINUTE_MS,
  '12h': 720 * MINUTE_MS,
  '1d': 1440 * MINUTE_MS,
};
/** How far back these calls reach [D]; that an earlier start is refused is from reports of clients [K]. */
const DATA_DAYS = 30;
const DATA_LIMIT: LimitRange = { default: 30, max: 500 };

export interface LimitRange {
  readonly default: number;
  readonly max: number;
}

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

/** The newest rows of the requested span; or the invalid parameter. */
export function windowOf({ query, nowMs }: Question, limits: LimitRange): Window | string {
  const limit = Number(query.get('limit') ?? limits.default);
  if (!Number.isInteger(limit) || limit < 1 || limit > limits.max) return 'limit';
  const fromMs = Number(query.get('startTime') ?? 0);
  if (!Number.isInteger(fromMs)) return 'startTime';
  const endMs = Number(query.get('endTime') ?? nowMs);
  if (!Number.isInteger(endMs)) return 'endTime';
  return { fromMs, toMs: Math.min(nowMs, endMs), limit };
}

/** The same of a call below `/futures/data`, which has a month. */
export function dataWindowOf(question: Question): Window | string {
  const window = windowOf(question, DATA_LIMIT);
  if (typeof window === 'string') return window;
  const oldestMs = question.nowMs - DATA_DAYS * DAY_MS;
  if (window.fromMs > 0 && window.fromMs < oldestMs) return 'startTime';
  return { ...window, fromMs: Math.max(window.fromMs, oldestMs) };
}
