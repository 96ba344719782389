import { marketKey, symbolOf, venueOf } from '../../store/market-key.ts';
import type { Store } from '../../store/store.ts';
import { MarketTable } from '../market-tape/market-table.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { type ArchiveCatalog, tapeKeyOf } from './archive-catalog.ts';
import { readManifest } from './archive-manifest.ts';
import type { ArchivePlace } from './archive-place.ts';
import { readTapeIndex, type TapeIndex } from './tape-file.ts';

export interface Restored {
  readonly files: number;
  readonly days: number;
  readonly trades: number;
  /** Files that are listed and cannot be read. */
  readonly unreadable: readonly string[];
}

/** Enters everything that the archive lists into the catalogue, and the gaps and connected times of its days. */
export async function restoreCatalog(
  store: Store,
  catalog: ArchiveCatalog,
  place: ArchivePlace,
  onFile: (done: number, all: number) => void = () => undefined,
): Promise<Restored> {
  const files = await readManifest(place);
  const unreadable: string[] = [];
  let [days, trades, done] = [0, 0, 0];
  for (const file of files) {
    try {
      const { key, market, bytes, rows } = file;
      const index =
        market !== undefined && key.startsWith('tape/') ? await readTapeIndex(place, key, bytes) : undefined;
      if (index && tapeKeyOf(index.market, index.date, file.sha256) !== key)
        throw new Error('it is the day of another market');
      if (index) await restoreFacts(store, index);
      await catalog.commit(catalog.entering([file], index && { ...index, sha256: file.sha256 }));
      if (index) days += 1;
      if (index) trades += rows;
    } catch (error) {
      unreadable.push(`${file.key}: ${(error as Error).message}`);
    }
    done += 1;
    onFile(done, files.length);
  }
  return { files: done - unreadable.length, days, trades, unreadable };
}

/** Facts in the store take precedence: they may be newer. */
async function restoreFacts(store: Store, { market, gaps, spans, listing }: TapeIndex): Promise<void> {
  const venue = venueOf(market);
  const ledger = new GapLedger(store, venue);
  const missing: (typeof gaps)[number][] = [];
  for (const gap of gaps) {
    const known = await ledger.gaps(symbolOf(market), gap.from, gap.to);
    if (known.length === 0) missing.push(gap);
  }
  const unknown: (typeof spans)[number][] = [];
  for (const span of spans) {
    const known = await ledger.spans(span.from, span.to);
    if (!known.some(({ from, to }) => from <= span.from && to >= span.to)) unknown.push(span);
  }
  await store.commit([...ledger.entering(missing), ...unknown.map((span) => ledger.extending(span))]);
  const markets = new MarketTable(store);
  const isListed = (await markets.all()).some(({ id }) => id === marketKey(venue, symbolOf(market)));
  if (listing && !isListed) await markets.put([listing], listing.recordingSince);
}
