import { type KlineRange, openOf } from './klines.ts';

export interface KlineWindow {
  readonly intervalMs: number;
  readonly nowMs: number;
  /** Of the first and the last kline wanted; the newest when absent. */
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly count: number;
  readonly hasEmpty: boolean;
}

/** The newest klines of a window, no more than a number of them. `undefined` when its times are no times. */
export function newestOf({
  intervalMs,
  nowMs,
  startMs,
  endMs,
  count,
  hasEmpty,
}: KlineWindow): KlineRange | undefined {
  const toMs = Math.min(nowMs, endMs ?? nowMs);
  const firstMs = openOf(toMs, intervalMs) - (count - 1) * intervalMs;
  const fromMs = Math.max(firstMs, openOf((startMs ?? 0) + intervalMs - 1, intervalMs));
  return Number.isFinite(fromMs) && Number.isFinite(toMs)
    ? { intervalMs, fromMs, toMs, hasEmpty }
    : undefined;
}
