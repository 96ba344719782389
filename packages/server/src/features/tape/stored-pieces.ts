import type { Log } from '../../platform/log.ts';
import type { WrittenPiece } from './open-chunk.ts';
import { decodePiece, type Ticks, type TickTable } from './tick-table.ts';

/** The pieces of a coin's tail that are in the store as they were written, by position. Logs the others. */
export async function readStoredPieces(
  { table, log }: { readonly table: TickTable; readonly log: Log },
  coin: string,
  pieces: readonly WrittenPiece[],
): Promise<ReadonlyMap<number, Ticks>> {
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (!first || !last) return new Map();
  const values = await table.pieces(coin, first.position, last.position);
  const stored = new Map<number, Ticks>();
  for (const { position, trades, startTs, endTs } of pieces) {
    const value = values.get(position);
    try {
      const ticks = value && decodePiece(value);
      if (ticks && isSpan(ticks, startTs, endTs, trades)) stored.set(position, ticks);
      else log.error({ coin, trades }, 'written trades are missing from the store');
    } catch (error) {
      log.error({ err: error, coin, trades }, 'written trades cannot be read from the store');
    }
  }
  return stored;
}

function isSpan({ columns: { ts, length } }: Ticks, startTs: number, endTs: number, trades: number): boolean {
  return length === trades && ts[0] === startTs && ts[length - 1] === endTs;
}
