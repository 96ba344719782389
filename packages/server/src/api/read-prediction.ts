import type { PredictionBook, PredictionOutcome } from '@crosstape/core';
import { snapshotTopic } from '../topics.ts';
import type { Context } from './context.ts';
import { readTables, staleAtMsOf, type TableReading } from './venue-tables.ts';

/** Who tells the questions, and who the books. */
export const predictionVenueId = 'polymarket';
const booksId = 'polymarket-clob';

/** The book of one outcome, which is asked for now if nobody has for a while. */
export function readBook(
  context: Context,
  tokenId: string,
  cacheSeconds: number,
): Promise<TableReading<PredictionBook>> {
  return readTables(context, {
    table: 'predictionBooks',
    venues: [booksId],
    cacheSeconds,
    keyed: {
      key: tokenId,
      partOf(table) {
        const book = table.rows.find(({ symbol }) => symbol === tokenId);
        return book && { ...table, rows: [book], fetchedAtMs: book.receivedAtMs };
      },
    },
  });
}

export interface EventView {
  readonly outcome?: PredictionOutcome;
  readonly spread?: number;
  /** Until when it can be compared with. */
  readonly validUntilMs: number;
}

/** What the list of questions says of an outcome, as far as it is known and new; it is not waited for. */
export function eventViewOf(context: Context, tokenId: string): EventView {
  context.demand({ venue: predictionVenueId, table: 'predictions' });
  const table = context.latest(snapshotTopic(predictionVenueId, 'predictions'));
  if (!table || context.nowMs > staleAtMsOf(table)) return { validUntilMs: Infinity };
  const validUntilMs = staleAtMsOf(table) + 1;
  for (const { outcomes, spread } of table.rows) {
    const outcome = outcomes.find((one) => one.tokenId === tokenId);
    if (outcome) return { outcome, validUntilMs, ...(spread !== undefined && { spread }) };
  }
  return { validUntilMs };
}
