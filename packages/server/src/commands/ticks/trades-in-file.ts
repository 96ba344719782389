import type { Trade } from '@crosstape/core';
import type { Owner } from '../../features/tape/newest-trades.ts';
import { readRow } from './read-row.ts';
import type { TickFormat } from './tick-file.ts';

/** A trade file of one coin; trades with `fromTs <= ts < toTs` are read. */
export interface TradeFile {
  readonly path: string;
  readonly format: TickFormat;
  readonly owner: Owner;
  readonly fromTs: number;
  readonly toTs: number;
}

/**
 * The trades of a file in batches, each validated by itself and against the previous one. Throws an error that names
 * the position.
 */
export async function* tradesInFile(
  { path, format, owner, fromTs, toTs }: TradeFile,
  onBytes: (bytes: number) => void,
): AsyncGenerator<readonly Trade[]> {
  let before: Trade | undefined;
  for await (const rows of format.read(path, onBytes)) {
    const trades: Trade[] = [];
    for (const { place, cells } of rows) {
      try {
        const trade = readRow(cells, owner);
        if (trade.ts >= fromTs && trade.ts < toTs) {
          checkOrder(before, trade);
          trades.push(trade);
          before = trade;
        }
      } catch (error) {
        throw new Error(`${path}, ${format.place} ${place}: ${(error as Error).message}`, { cause: error });
      }
    }
    yield trades;
  }
}

function checkOrder(before: Trade | undefined, { ts, side, sameOrder }: Trade): void {
  if (before && ts < before.ts) {
    throw new Error(
      `ts ${ts} is before ${before.ts}, the one above it; sort the file by ts, and keep the order within one`,
    );
  }
  if (sameOrder && (before?.ts !== ts || before.side !== side)) {
    throw new Error('sameOrder, but the trade above it has another time or side');
  }
}
