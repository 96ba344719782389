import { markFinished, markUnfinished } from '../store/data-folder.ts';
import type { RedisStore } from '../cluster/redis-store.ts';

/** Says of a record that its past is being made. Whoever takes up one of which that is still said begins anew. */
export interface PastMark {
  set(): Promise<void>;
  remove(): Promise<void>;
}

/** A folder with the mark is emptied before anybody opens it. */
export function folderMark(path: string): PastMark {
  return { set: () => markUnfinished(path), remove: () => markFinished(path) };
}

export interface SharedPastMark extends PastMark {
  /** Throws away what one that died has left half made. Only for whoever has the turn. */
  clearUnfinished(): Promise<void>;
}

export function sharedMark(store: RedisStore): SharedPastMark {
  const marks = store.table<number>('marks', 'json');
  const key = ['past is being made'];
  return {
    set: () => store.commit([marks.puts([{ key, value: 1 }])]),
    remove: () => store.commit([marks.removes([key])]),
    async clearUnfinished() {
      if ((await marks.get(key)) !== undefined) await store.clear();
    },
  };
}
