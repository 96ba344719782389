import { DAY_MS } from '@crosstape/core';
import type { Key, Store } from '../../store/store.ts';
import { marketKey } from '../../store/market-key.ts';
import { dateOf, SEAL_AFTER_MS, startOfDate } from '../lake/lake-key.ts';
import { TickTable } from '../tape/tick-table.ts';
import type { ArchiveCatalog } from './archive-catalog.ts';

/** More than a year of chunks of the busiest market. */
const CHUNKS_MAX = 1_000_000;

/** The days of a market that are over and have trades in the store which are not in the archive, oldest first. */
export async function datesToSeal(
  store: Store,
  { venue, symbol }: { readonly venue: string; readonly symbol: string },
  catalog: ArchiveCatalog,
  nowMs: number,
): Promise<readonly string[]> {
  const ticks = new TickTable(store, venue);
  const market = marketKey(venue, symbol);
  const endTs = Math.floor((nowMs - SEAL_AFTER_MS) / DAY_MS) * DAY_MS;
  const sealed = await ticks.names(symbol, 0, endTs, CHUNKS_MAX);
  const chunks = sealed.map(({ startTs, endTs: lastTs, trades }): Key => [market, startTs, lastTs, trades]);
  const open = await ticks.openChunkKey(symbol);
  if (open && (open[1] as number) < endTs) chunks.push(open);
  const archived = new Set<string>();
  const range = { from: [market, 0], to: [market, endTs], limit: CHUNKS_MAX };
  for (const key of await catalog.chunkKeys(range)) archived.add(String(key));
  const dates = chunks.filter((key) => !archived.has(String(key))).map((key) => dateOf(key[1] as number));
  return [...new Set(dates)].toSorted();
}

/** Whether the store still has every archived chunk of a day. */
export async function isDayInStore(
  store: Store,
  { venue, symbol }: { readonly venue: string; readonly symbol: string },
  catalog: ArchiveCatalog,
  date: string,
): Promise<boolean> {
  const market = marketKey(venue, symbol);
  const fromTs = startOfDate(date);
  const range = { from: [market, fromTs], to: [market, fromTs + DAY_MS], limit: CHUNKS_MAX };
  const ticks = new TickTable(store, venue);
  const names = await ticks.names(symbol, fromTs, fromTs + DAY_MS, CHUNKS_MAX);
  const open = await ticks.openChunkKey(symbol);
  const stored = new Set(names.map(({ startTs, endTs, trades }) => String([market, startTs, endTs, trades])));
  if (open) stored.add(String(open));
  return (await catalog.chunkKeys(range)).every((key) => stored.has(String(key)));
}
