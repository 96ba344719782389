import { TickBuffer } from '../tick-buffer.ts';
import type { TickTable } from '../tick-table.ts';

/** Seals what is in the tail of a coin, as its recorder does before it removes old trades. */
export async function sealTail(table: TickTable, coin: string): Promise<void> {
  const pieces = await table.tail(coin);
  const ticks = new TickBuffer();
  for (const piece of pieces) ticks.addTicks(piece);
  const positions = pieces.map(({ position }) => position);
  if (ticks.length > 0) await table.commit(table.sealing(coin, ticks, ticks.length, positions));
}
