import { type KlineRange, openOf } from './klines.ts';

export interface KlineWindow {
  readonly intervalMs: number;
  readonly nowMs: number;
  /** Times of the first and last requested kline; default: the newest. */
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly count: number;
  readonly hasEmpty: boolean;
}

/** The newest klines of a window, up to a limit. `undefined` if its times are invalid. */
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
