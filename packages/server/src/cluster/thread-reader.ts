import { LmdbStore } from '../store/lmdb-store.ts';
import { isShared, openPlace } from './open-place.ts';
import type { RedisStore } from './redis-store.ts';
import type { Store } from '../store/store.ts';

let open: { readonly place: string; readonly store: Promise<Store> } | undefined;

/**
 * For worker threads: gives `read` the store at a place as it is now. It is opened once and kept; between readings it
 * holds on to nothing, so that the writer can use the room of what was removed.
 */
export async function withReader<Result>(
  place: string,
  read: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await opened(place);
  renew(store);
  if (isShared(place)) await (store as RedisStore).wake();
  try {
    return await read(store);
  } finally {
    renew(store);
  }
}

async function opened(place: string): Promise<Store> {
  if (open?.place === place) return open.store;
  const before = open?.store;
  const store = openPlace(place, { isReadOnly: true });
  open = { place, store };
  // The next caller after a failure tries again.
  store.catch(() => {
    if (open?.store === store) open = undefined;
  });
  await (await before?.catch(() => undefined))?.close();
  return store;
}

function renew(store: Store): void {
  if (store instanceof LmdbStore) store.renew();
}
