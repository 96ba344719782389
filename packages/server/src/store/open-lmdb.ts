import { checkHead, checkPages } from './damaged-store.ts';
import { DataFolderError } from './data-folder.ts';
import { LmdbStore, type LmdbStoreOptions } from './lmdb-store.ts';
import { isOldTape, migrateTape, oldTables } from './migrate-tape.ts';

export interface OpenLmdbOptions extends LmdbStoreOptions {
  /** Called when rows of format version 1 were migrated. */
  readonly onMigrated?: (rows: number) => void;
}

/**
 * Opens the store in a folder, after its file was checked without lmdb: lmdb trusts the file, and a damaged one crashes
 * the process. Throws a `DamagedStoreError` that names the folder and the remedy. A record of format version 1 is
 * migrated; if it may only be read it is refused.
 */
export async function openLmdb(folder: string, options: OpenLmdbOptions = {}): Promise<LmdbStore> {
  await checkHead(folder);
  const store = new LmdbStore(folder, options);
  try {
    // Other processes may write meanwhile; the pages of this transaction are not overwritten.
    store.hold();
    await checkPages(folder);
    store.release();
    await bringUpToDate(store, folder, options);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function bringUpToDate(
  store: LmdbStore,
  folder: string,
  { isReadOnly = false, onMigrated }: OpenLmdbOptions,
): Promise<void> {
  // Reading a table that does not exist would create it.
  const names = new Set(store.tableNames());
  const old = oldTables.filter(({ name }) => names.has(name));
  if (!(await isOldTape(store, old))) return;
  if (isReadOnly)
    throw new DataFolderError(
      `the record in ${folder} is of format version 1: start the service once, and it is brought to version 2`,
    );
  onMigrated?.(await migrateTape(store, old));
}
