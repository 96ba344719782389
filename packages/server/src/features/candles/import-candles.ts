import { type Candle, CandleFold, foldCandles, intervalStart, type TickColumns } from '@crosstape/core';
import type { Change } from '../../store/store.ts';
import { type CandleTable, hourLevel, minuteLevel } from './candle-table.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The trades of a market's UTC day, all of them in the given hours. */
export interface ImportedDay {
  readonly market: string;
  readonly dayMs: number;
  readonly hours: readonly number[];
  readonly columns: TickColumns;
}

/** Changes that put the candles of imported trades in place of the venue's own. */
export async function importingCandles(
  table: CandleTable,
  { market, dayMs, hours, columns }: ImportedDay,
): Promise<readonly Change[]> {
  const fold = new CandleFold(minuteLevel.intervalMs);
  fold.add(columns);
  const minutes = fold.all();
  const within = (candles: readonly Candle[], startTs: number): readonly Candle[] =>
    candles.filter(({ ts }) => ts >= startTs && ts < startTs + HOUR_MS);
  const changes = hours.flatMap((hour) => {
    const startTs = dayMs + hour * HOUR_MS;
    const candles = within(minutes, startTs);
    if (candles.length === 0) return [];
    return [table.putting(minuteLevel, market, { startTs, toTs: startTs + HOUR_MS, candles })];
  });
  const folded = foldCandles(minutes, HOUR_MS);
  if (folded.length === 0) return changes;
  const startTs = intervalStart(dayMs, hourLevel.blockMs);
  const before = await table.block(hourLevel, market, startTs);
  const own = new Set(folded.map(({ ts }) => ts));
  const others = before?.candles.filter(({ ts }) => !own.has(ts)) ?? [];
  const candles = [...others, ...folded].toSorted((a, b) => a.ts - b.ts);
  const toTs = Math.max(before?.toTs ?? startTs, dayMs + DAY_MS);
  return [...changes, table.putting(hourLevel, market, { startTs, toTs, candles })];
}
