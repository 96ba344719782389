import { columnsInCoins, decodeTicks, type MarketUnits, type TickColumns } from '@crosstape/core';
import { nextTurn } from '../../platform/next-turn.ts';
import { gunzipChunk } from '../tape/chunk-gzip.ts';
import type { TickTable } from '../tape/tick-table.ts';

/** Chunks read at a time. */
const CHUNKS_PER_READ = 16;

export interface FoldedMarket {
  readonly ticks: TickTable;
  /** Its name on the tape. */
  readonly symbol: string;
  /** Units of a market whose sizes are not in coins. */
  readonly units?: MarketUnits | undefined;
}

/** Takes the trades [from, to) of columns, oldest first. */
export interface TradeTaker {
  add(columns: TickColumns, from: number, to: number): void;
}

/** Trades in coins. */
export function inCoins(columns: TickColumns, units: MarketUnits | undefined): TickColumns {
  return units ? columnsInCoins(columns, units) : columns;
}

/** The trades with `fromTs <= ts < toTs` of columns, as positions. */
export function positionsIn(columns: TickColumns, fromTs: number, toTs: number): readonly [number, number] {
  const { ts, length } = columns;
  let from = 0;
  while (from < length && ts[from]! < fromTs) from += 1;
  let to = length;
  while (to > from && ts[to - 1]! >= toTs) to -= 1;
  return [from, to];
}

/** Adds the sealed trades with `fromTs <= ts < toTs`; returns the time of the last chunk's newest trade. `caller` is whose turns it takes. */
export async function foldSealed(
  taker: TradeTaker,
  { ticks, symbol, units }: FoldedMarket,
  fromTs: number,
  toTs: number,
  caller?: string,
): Promise<number | undefined> {
  let lastTs: number | undefined;
  for (let start = fromTs; start < toTs; ) {
    const chunks = await ticks.chunks(symbol, start, toTs, CHUNKS_PER_READ);
    for (const { data, endTs } of chunks) {
      const columns = inCoins(decodeTicks(gunzipChunk(data)), units);
      taker.add(columns, ...positionsIn(columns, start, toTs));
      lastTs = endTs;
      // Live work goes first.
      await nextTurn(caller);
    }
    if (chunks.length < CHUNKS_PER_READ) break;
    start = (lastTs ?? start) + 1;
  }
  return lastTs;
}
