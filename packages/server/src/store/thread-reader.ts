import { LmdbStore } from './lmdb-store.ts';

let open: { readonly folder: string; readonly store: LmdbStore } | undefined;

/**
 * For worker threads: gives `read` the store in a folder as it is now. The handle is opened once and kept; between
 * readings it holds on to nothing, so that the writer can use the room of what was removed.
 */
export async function withReader<Result>(
  folder: string,
  read: (store: LmdbStore) => Promise<Result>,
): Promise<Result> {
  if (open?.folder !== folder) {
    await open?.store.close();
    open = { folder, store: new LmdbStore(folder, { isReadOnly: true }) };
  }
  const { store } = open;
  store.renew();
  try {
    return await read(store);
  } finally {
    store.renew();
  }
}
