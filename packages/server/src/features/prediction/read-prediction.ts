import type { PredictionBook, PredictionMarket, PredictionOutcome } from '@crosstape/core';
import { asOfMs, snapshotTopic } from '../../topics.ts';
import { readTables, staleAtMsOf, type TableReading } from '../markets/read-tables.ts';
import type { Context } from '../context.ts';

/** The sources of questions, and of books. */
export const predictionVenueId = 'polymarket';
const booksId = 'polymarket-clob';

/** The book of one outcome, which is requested now if it was not lately. */
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
        if (!book) return undefined;
        const { receivedAtMs } = book;
        return { ...table, rows: [book], rowsAtMs: [receivedAtMs], fetchedAtMs: receivedAtMs };
      },
    },
  });
}

export interface EventView {
  /** False: no event has it. */
  readonly isListed?: boolean;
  readonly outcome?: PredictionOutcome;
  readonly spread?: number;
  /** When the venue made the list. */
  readonly asOfMs?: number;
  /** Until when it can be compared with. */
  readonly validUntilMs: number;
}

/** An outcome in the list of questions, if known and fresh; never waits. */
export function eventViewOf(context: Context, tokenId: string): EventView {
  context.demand({ venue: predictionVenueId, table: 'predictions' });
  const table = context.latest(snapshotTopic(predictionVenueId, 'predictions'));
  if (!table || context.nowMs > staleAtMsOf(table)) return { validUntilMs: Infinity };
  const validUntilMs = staleAtMsOf(table) + 1;
  const market = marketsByToken(table.rows).get(tokenId);
  // If the list lacks pages, absence proves nothing.
  if (!market) return { ...(!table.isPartial && { isListed: false }), validUntilMs };
  const { outcomes, spread } = market;
  const outcome = outcomes.find((one) => one.tokenId === tokenId);
  return {
    isListed: true,
    ...(outcome && { outcome }),
    ...(spread !== undefined && { spread }),
    asOfMs: asOfMs(table),
    validUntilMs,
  };
}

/**
 * Whether the book of an outcome was sent lately: its subscribers may continue, though its event is no longer listed.
 */
export function hasBook(context: Context, tokenId: string): boolean {
  const { rows = [] } = context.latest(snapshotTopic(booksId, 'predictionBooks')) ?? {};
  return rows.some(({ symbol, isListed }) => symbol === tokenId && isListed);
}

/** Made once for every fetch of the list: requests for unknown ids must be cheap. */
const byToken = new WeakMap<readonly PredictionMarket[], ReadonlyMap<string, PredictionMarket>>();

function marketsByToken(rows: readonly PredictionMarket[]): ReadonlyMap<string, PredictionMarket> {
  let markets = byToken.get(rows);
  if (!markets) {
    markets = new Map(
      rows.flatMap((market) => market.outcomes.map(({ tokenId }) => [tokenId, market] as const)),
    );
    byToken.set(rows, markets);
  }
  return markets;
}
