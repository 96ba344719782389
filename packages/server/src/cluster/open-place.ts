import { LmdbStore } from '../store/lmdb-store.ts';
import type { Store } from '../store/store.ts';

/** How long a read waits for an unreachable server. */
const CONNECT_MS_MAX = 3_000;

interface RedisPlace {
  /** URL of the server. */
  readonly url: string;
  readonly prefix: string;
  /** Fencing token of a writer; absent for readers. */
  readonly token?: number;
  /** The group of ingesters that the token is from. */
  readonly group?: string;
}

/** The location of a store as text, for worker threads. A folder is its own location. */
export function placeOf({ url, ...rest }: RedisPlace): string {
  return `${url}#${encodeURIComponent(JSON.stringify(rest))}`;
}

export function isShared(place: string): boolean {
  return /^rediss?:/.test(place);
}

/** Opens the store at a location, for writing or reading. */
export async function openPlace(
  place: string,
  { isReadOnly = false }: { readonly isReadOnly?: boolean } = {},
): Promise<Store> {
  if (!isShared(place)) return new LmdbStore(place, { isReadOnly });
  const { url, prefix, token, group } = readPlace(place);
  // Imported here: a thread that reads a folder needs no Redis client.
  const { connectedWithin, connectRedis } = await import('./redis.ts');
  const { readable, RedisStore } = await import('./redis-store.ts');
  const link = connectRedis(url);
  await readable(connectedWithin(link, CONNECT_MS_MAX, `no answer from ${new URL(url).host}`));
  return new RedisStore({ link, prefix, token: () => token, group, ownsLink: true });
}

function readPlace(place: string): RedisPlace {
  const at = place.lastIndexOf('#');
  const rest = JSON.parse(decodeURIComponent(place.slice(at + 1))) as Omit<RedisPlace, 'url'>;
  return { url: place.slice(0, at), ...rest };
}
