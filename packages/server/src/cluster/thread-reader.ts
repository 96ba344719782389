import { LmdbStore } from '../store/lmdb-store.ts';
import { isShared, openPlace } from './open-place.ts';
import type { RedisStore } from './redis-store.ts';
import type { Store } from '../store/store.ts';

let open: { readonly place: string; readonly store: Promise<Store> } | undefined;

/**
 * For worker threads: calls `read` with the current state of the store. The store is opened once and kept. It holds no
 * snapshot between calls, so that the writer can reuse the space of removed rows.
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
  // After a failure the next caller tries again.
  store.catch(() => {
    if (open?.store === store) open = undefined;
  });
  await (await before?.catch(() => undefined))?.close();
  return store;
}

function renew(store: Store): void {
  if (store instanceof LmdbStore) store.renew();
}
