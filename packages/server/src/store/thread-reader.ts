import { LmdbStore } from './lmdb-store.ts';
import { openPlace } from './open-place.ts';
import { RedisStore } from './redis-store.ts';
import type { Store } from './store.ts';

let open: { readonly place: string; readonly store: Promise<Store> } | undefined;

/**
 * For worker threads: gives `read` the store at a place as it is now. It is opened once and kept; between readings it
 * holds on to nothing, so that the writer can use the room of what was removed.
 */
export async function withReader<Result>(
  place: string,
  read: (store: Store) => Promise<Result>,
): Promise<Result> {
  if (open?.place !== place) {
    const before = open?.store;
    const opening = openPlace(place, { isReadOnly: true });
    open = { place, store: opening };
    // Whoever comes after a failure tries again.
    opening.catch(() => {
      if (open?.store === opening) open = undefined;
    });
    await (await before?.catch(() => undefined))?.close();
  }
  const store = await open.store;
  renew(store);
  if (store instanceof RedisStore) await store.wake();
  try {
    return await read(store);
  } finally {
    renew(store);
  }
}

function renew(store: Store): void {
  if (store instanceof LmdbStore) store.renew();
}
