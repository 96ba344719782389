import { marketKey, PRIMARY_VENUE } from './market-key.ts';
import type { Entry, Key, Store } from './store.ts';

/** Rows moved per commit: about 2 MB of chunks. */
const ROWS_PER_COMMIT = 64;

/** A table of format version 1, which had only the primary venue, and its successor. */
export interface OldTable {
  readonly name: string;
  readonly now: string;
  /** The current key of a key of version 1. */
  readonly keyNow: (key: Key) => Key;
}

const byCoin = ([coin, ...rest]: Key): Key => [marketKey(PRIMARY_VENUE, String(coin)), ...rest];

/** The tables of the tape and its ledger in format version 1, and those of version 2. */
export const oldTables: readonly OldTable[] = [
  { name: 'chunk-ids', now: 'tape-ids', keyNow: byCoin },
  { name: 'chunks', now: 'tape', keyNow: byCoin },
  { name: 'tail', now: 'tape-tail', keyNow: byCoin },
  { name: 'gaps', now: 'tape-gaps', keyNow: byCoin },
  { name: 'spans', now: 'tape-spans', keyNow: (key) => [PRIMARY_VENUE, ...key] },
];

/**
 * Moves rows of format version 1 to the tables and keys of version 2, byte for byte. A row is removed in the commit
 * that writes the new one, so an interrupted migration continues at the next start. Returns the number of rows moved.
 */
export async function migrateTape(store: Store, tables: readonly OldTable[] = oldTables): Promise<number> {
  let moved = 0;
  for (const { name, now, keyNow } of tables) {
    const [before, after] = [store.table(name, 'binary'), store.table(now, 'binary')];
    for (;;) {
      const rows: readonly Entry<Uint8Array>[] = await before.range({ limit: ROWS_PER_COMMIT });
      if (rows.length === 0) break;
      await store.commit([
        after.puts(rows.map(({ key, value }) => ({ key: keyNow(key), value }))),
        before.removes(rows.map(({ key }) => key)),
      ]);
      moved += rows.length;
    }
  }
  return moved;
}

/** Whether anything is still stored in version 1. */
export async function isOldTape(store: Store, tables: readonly OldTable[] = oldTables): Promise<boolean> {
  for (const { name } of tables)
    if ((await store.table(name, 'binary').keys({ limit: 1 })).length > 0) return true;
  return false;
}
