import { checkHead, checkPages } from './damaged-store.ts';
import { LmdbStore, type LmdbStoreOptions } from './lmdb-store.ts';

/**
 * Opens the store in a folder, after its file was checked without lmdb: lmdb trusts the file, and a damaged one ends the
 * process without a word. Throws a `DamagedStoreError` that names the folder and the remedy.
 */
export async function openLmdb(folder: string, options: LmdbStoreOptions = {}): Promise<LmdbStore> {
  await checkHead(folder);
  const store = new LmdbStore(folder, options);
  try {
    // Other processes may write meanwhile; what this transaction sees is not overwritten.
    store.hold();
    await checkPages(folder);
    store.release();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
