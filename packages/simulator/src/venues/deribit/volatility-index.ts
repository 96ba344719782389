import { DAY_MS, HOUR_MS, intervalStart, MINUTE_MS } from '@crosstape/core';
import type { OptionBook } from './option-book.ts';

/** By the name of the resolution [D]. */
export const RESOLUTION_MS: Readonly<Record<string, number>> = {
  '1': 1_000,
  '60': MINUTE_MS,
  '3600': HOUR_MS,
  '43200': DAY_MS / 2,
  '1D': DAY_MS,
};
/** The currencies with an index [D]. */
export const INDEX_COINS: readonly string[] = ['BTC', 'ETH'];
/** Its first day [C]. */
const FIRST_MS = Date.UTC(2021, 2, 24);
/** Rows of an answer: the newest of the range [C]. */
const ROWS_MAX = 1_000;
/** Looks at the index in each row, its ends included. */
const LOOKS = 6;

export interface IndexPage {
  /** Oldest first: time, open, high, low, close. */
  readonly data: readonly (readonly [number, number, number, number, number])[];
  /** The `end_timestamp` of the next older page, if there is one. */
  readonly continuation: number | null;
}

/** Rows that begin in [startMs, endMs], and none of the future. */
export function indexPage(
  book: OptionBook,
  coin: string,
  { startMs, endMs, stepMs, nowMs }: IndexRange,
): IndexPage {
  const lastMs = intervalStart(Math.min(endMs, nowMs), stepMs);
  const firstMs = Math.ceil(Math.max(startMs, FIRST_MS) / stepMs) * stepMs;
  const pageMs = Math.max(firstMs, lastMs - (ROWS_MAX - 1) * stepMs);
  const data: IndexPage['data'][number][] = [];
  for (let ts = pageMs; ts <= lastMs; ts += stepMs) {
    const untilMs = Math.min(ts + stepMs, nowMs);
    const levels = Array.from({ length: LOOKS }, (_, i) =>
      inPercent(book.volatilityIndex(coin, ts + ((untilMs - ts) * i) / (LOOKS - 1))),
    );
    data.push([ts, levels[0]!, Math.max(...levels), Math.min(...levels), levels[LOOKS - 1]!]);
  }
  return { data, continuation: pageMs > firstMs ? pageMs - stepMs : null };
}

interface IndexRange {
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
  readonly nowMs: number;
}

function inPercent(volatility: number): number {
  return Number((100 * volatility).toFixed(2));
}
