import { markFinished, markUnfinished } from '../store/data-folder.ts';
import type { RedisStore } from '../cluster/redis-store.ts';

/** Marks a store whose history is being created. A process that finds the mark starts again. */
export interface PastMark {
  set(): Promise<void>;
  remove(): Promise<void>;
}

/** A folder with the mark is emptied before it is opened. */
export function folderMark(path: string): PastMark {
  return { set: () => markUnfinished(path), remove: () => markFinished(path) };
}

export interface SharedPastMark extends PastMark {
  /** Discards the unfinished history of a process that died. Only for the holder of the lease. */
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
