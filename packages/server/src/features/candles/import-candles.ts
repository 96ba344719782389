import { type Candle, DAY_MS, foldCandles, HOUR_MS, intervalStart } from '@crosstape/core';
import type { Change } from '../../store/store.ts';
import { type CandleGap, type CandleTable, hourLevel, minuteLevel } from './candle-table.ts';

/** The candles of imported trades of a market, in hours of one UTC day. */
export interface ImportedHours {
  readonly market: string;
  /** Whole hours. */
  readonly span: CandleGap;
  /** Oldest first. */
  readonly minutes: readonly Candle[];
  /** Whether all trades of the time are among them. */
  readonly isComplete: boolean;
}

/** Changes that put the candles of imported trades in place of the venue's own. */
export async function importingCandles(
  table: CandleTable,
  imported: ImportedHours,
): Promise<readonly Change[]> {
  const { market, span, minutes } = imported;
  const changes = [...(await importingGaps(table, imported))];
  for (let startTs = span.from; startTs < span.to; startTs += HOUR_MS) {
    const toTs = startTs + HOUR_MS;
    const candles = minutes.filter(({ ts }) => ts >= startTs && ts < toTs);
    if (candles.length > 0) changes.push(table.putting(minuteLevel, market, { startTs, toTs, candles }));
  }
  const folded = foldCandles(minutes, HOUR_MS);
  if (folded.length === 0) return changes;
  const startTs = intervalStart(span.from, hourLevel.blockMs);
  const before = await table.block(hourLevel, market, startTs);
  const own = new Set(folded.map(({ ts }) => ts));
  const others = before?.candles.filter(({ ts }) => !own.has(ts)) ?? [];
  const candles = [...others, ...folded].toSorted((a, b) => a.ts - b.ts);
  const toTs = Math.max(before?.toTs ?? startTs, intervalStart(span.from, DAY_MS) + DAY_MS);
  return [...changes, table.putting(hourLevel, market, { startTs, toTs, candles })];
}

/** The tape begins with the oldest imported trade; the time up to the trades after it is a gap until it is imported. */
async function importingGaps(
  table: CandleTable,
  { market, span, minutes, isComplete }: ImportedHours,
): Promise<readonly Change[]> {
  const partial = isComplete ? [] : [span];
  const state = await table.state(market);
  const [oldest] = minutes;
  if (!state || !oldest || span.to > state.tapeFrom)
    return [await table.replacingGaps(market, span, partial)];
  const rest = { from: span.to, to: intervalStart(state.tapeFrom, HOUR_MS) };
  const gaps = rest.from < rest.to ? [...partial, rest] : partial;
  return [
    await table.replacingGaps(market, { from: span.from, to: rest.to }, gaps),
    table.puttingState(market, { ...state, tapeFrom: oldest.ts }),
  ];
}
