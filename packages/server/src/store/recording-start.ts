import type { Store } from './store.ts';

const KEY = ['recordingStart'];

/** When recording into this store began; the first call decides. */
export async function recordingStart(store: Store, nowMs: number): Promise<number> {
  const table = store.table<number>('facts', 'json');
  const known = await table.get(KEY);
  if (known !== undefined) return known;
  await store.commit([table.puts([{ key: KEY, value: nowMs }])]);
  return nowMs;
}
