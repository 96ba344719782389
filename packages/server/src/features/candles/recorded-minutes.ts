import { type Candle, CandleFold } from '@crosstape/core';
import { type CandleTable, minuteLevel } from './candle-table.ts';
import { inCoins, foldSealed, positionsIn } from './fold-tape.ts';
import type { OpenedMarket } from './opened-markets.ts';

const { blockMs } = minuteLevel;

/**
 * The minutes of a market in `from <= ts < to`, oldest first, only from written trades: for a process that records
 * them.
 */
export async function recordedMinutes(
  table: CandleTable,
  market: OpenedMarket,
  from: number,
  to: number,
): Promise<readonly Candle[]> {
  const foldedTo = (await table.newest(market.id))?.toTs ?? 0;
  const storedTo = Math.min(to, foldedTo);
  const blocks = await table.newestBlocks(minuteLevel, market.id, from, storedTo, (to - from) / blockMs + 1);
  const stored = blocks.toReversed().flatMap(({ candles }) => candles);
  const minutes = stored.filter(({ ts }) => ts >= from && ts < storedTo);
  if (foldedTo >= to) return minutes;
  const start = Math.max(from, foldedTo);
  const fold = new CandleFold(minuteLevel.intervalMs);
  // The tail first: trades sealed meanwhile are read twice, and left out.
  const tail = await market.ticks.tail(market.symbol);
  const sealedTs = (await foldSealed(fold, market, start, to)) ?? -1;
  for (const piece of tail) {
    const columns = inCoins(piece.columns, market.units);
    fold.add(columns, ...positionsIn(columns, Math.max(start, sealedTs + 1), to));
  }
  return [...minutes, ...fold.all()];
}
