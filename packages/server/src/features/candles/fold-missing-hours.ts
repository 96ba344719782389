import { CandleFold, intervalStart } from '@crosstape/core';
import { marketKey } from '../../store/market-key.ts';
import type { Change } from '../../store/store.ts';
import { type CandleTable, minuteLevel } from './candle-table.ts';
import { type FoldedMarket, foldSealed } from './fold-tape.ts';

const { blockMs, intervalMs } = minuteLevel;
/** Chunks listed at a time. */
const NAMES_PER_READ = 2_000;
const HOURS_PER_COMMIT = 24;

interface HourRange {
  readonly from: number;
  readonly to: number;
  /** Up to when candles are read from the ledger: an hour that ends later counts as one without candles. */
  readonly foldedTo: number;
  /** The caller that the work is scheduled for. */
  readonly caller?: string | undefined;
}

/** Hours with sealed trades in `from <= ts < to` whose candles are not stored, oldest first. */
export async function hoursWithoutCandles(
  table: CandleTable,
  market: string,
  { ticks, symbol }: FoldedMarket,
  { from, to, foldedTo, caller }: HourRange,
): Promise<readonly number[]> {
  const hours = new Set<number>();
  for (let start = from; start < to; ) {
    const names = await ticks.names(symbol, start, to, NAMES_PER_READ);
    for (const { startTs, endTs } of names)
      for (let hour = intervalStart(startTs, blockMs); hour <= endTs; hour += blockMs) hours.add(hour);
    const last = names.at(-1);
    if (!last || names.length < NAMES_PER_READ) break;
    start = last.endTs + 1;
  }
  if (hours.size === 0) return [];
  const closedTo = Math.min(to, intervalStart(foldedTo, blockMs));
  const closed = await table.closedHours(market, Math.min(...hours), closedTo, caller);
  return [...hours]
    .filter((hour) => !closed.has(hour) && hour < to && hour + blockMs > from)
    .toSorted((a, b) => a - b);
}

/** Folds recorded hours before `beforeTs` that have no candles; returns how many there were. */
export async function foldMissingHours(
  table: CandleTable,
  market: FoldedMarket & { readonly prefix: string },
  beforeTs: number,
  signal: AbortSignal,
): Promise<number> {
  const id = marketKey(market.prefix, market.symbol);
  const range = { from: 0, to: beforeTs, foldedTo: beforeTs };
  const hours = await hoursWithoutCandles(table, id, market, range);
  for (let at = 0; at < hours.length && !signal.aborted; at += HOURS_PER_COMMIT) {
    const changes: Change[] = [];
    for (const startTs of hours.slice(at, at + HOURS_PER_COMMIT)) {
      const toTs = startTs + blockMs;
      const fold = new CandleFold(intervalMs);
      await foldSealed(fold, market, startTs, toTs);
      changes.push(table.putting(minuteLevel, id, { startTs, toTs, candles: fold.all() }));
    }
    await table.commit(changes);
  }
  return hours.length;
}
