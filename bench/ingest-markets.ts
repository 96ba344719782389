import { spotVenues } from '@crosstape/venues';
import type { LmdbStore } from '../packages/server/src/store/lmdb-store.ts';
import { symbolOf, venueOf } from '../packages/server/src/store/market-key.ts';
import { MarketTable } from '../packages/server/src/features/market-tape/market-table.ts';
import { type Gap, GapLedger } from '../packages/server/src/features/tape/gap-ledger.ts';
import { TickTable } from '../packages/server/src/features/tape/tick-table.ts';

/** Id of a market by its publisher: a spot venue's markets have their own prefix. */
export function marketIdOf(publisher: string, symbol: string): string {
  return `${prefixOf(publisher)}:${symbol}`;
}

function prefixOf(publisher: string): string {
  const spot = spotVenues.find(({ id }) => id === publisher);
  return spot ? `${spot.venue ?? spot.id}-spot` : publisher;
}

/** Ids of the recorded markets of other venues than the primary. */
export async function recordedMarkets(store: LmdbStore): Promise<readonly string[]> {
  store.renew();
  return (await new MarketTable(store).all()).map(({ id }) => id);
}

/** Trades that are durable, by market, for the venues of some markets. */
export async function countRecorded(
  store: LmdbStore,
  markets: Iterable<string>,
): Promise<ReadonlyMap<string, number>> {
  store.renew();
  const counts = new Map<string, number>();
  for (const venue of new Set([...markets].map(venueOf))) {
    const ticks = new TickTable(store, venue);
    for (const symbol of await ticks.coins()) {
      const sealed = await ticks.names(symbol, 0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
      const tail = await ticks.tail(symbol);
      const trades =
        sealed.reduce((sum, chunk) => sum + chunk.trades, 0) +
        tail.reduce((sum, piece) => sum + piece.columns.length, 0);
      counts.set(`${venue}:${symbol}`, trades);
    }
  }
  return counts;
}

/** Gaps with missing trades in the ledger, over some markets. */
export async function missingTrades(
  store: LmdbStore,
  markets: Iterable<string>,
): Promise<readonly { readonly market: string; readonly gap: Gap; readonly trades: number }[]> {
  store.renew();
  const missing = [];
  for (const market of markets) {
    const ledger = new GapLedger(store, venueOf(market));
    for (const gap of await ledger.gaps(symbolOf(market), 0, Number.MAX_SAFE_INTEGER))
      if (gap.missing) missing.push({ market, gap, trades: gap.missing });
  }
  return missing;
}
