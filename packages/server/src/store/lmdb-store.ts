import { type Database, open, type RootDatabase } from 'lmdb';
import type { Change, Entry, Key, Range, Store, Table } from './store.ts';

const TABLES_MAX = 64;
const PROBE_TABLE = 'probe';

type LmdbKey = (string | number)[];

/** The embedded store: one lmdb environment in one folder. */
export class LmdbStore implements Store {
  readonly #root: RootDatabase;
  readonly #databases = new Map<string, Database>();

  constructor(folder: string) {
    this.#root = open({ path: folder, maxDbs: TABLES_MAX, compression: false });
  }

  table<Value>(name: string, encoding: 'json' | 'binary'): Table<Value> {
    let database = this.#databases.get(name);
    if (!database) {
      database = this.#root.openDB({ name, encoding });
      this.#databases.set(name, database);
    }
    return tableOf<Value>(name, database);
  }

  async commit(changes: readonly Change[]): Promise<void> {
    // Only a child transaction is undone when its callback throws.
    await this.#root.childTransaction(() => {
      for (const { table, put, remove } of changes) {
        const database = this.#databases.get(table) as Database;
        for (const key of remove) database.remove(key as LmdbKey);
        for (const { key, value } of put) database.put(key as LmdbKey, value);
      }
    });
    await this.#root.flushed;
  }

  async probe(): Promise<void> {
    await this.commit([this.table<number>(PROBE_TABLE, 'json').puts([{ key: ['probe'], value: 1 }])]);
  }

  async close(): Promise<void> {
    await this.#root.close();
  }
}

function tableOf<Value>(name: string, database: Database): Table<Value> {
  return {
    puts: (put) => ({ table: name, put, remove: [] }),
    removes: (remove) => ({ table: name, put: [], remove }),
    async get(key) {
      return database.get(key as LmdbKey) as Value | undefined;
    },
    async range(range) {
      return readRange<Value>(database, range);
    },
  };
}

function readRange<Value>(
  database: Database,
  { from, to, reverse = false, limit }: Range,
): readonly Entry<Value>[] {
  const [start, end] = reverse ? [to, from] : [from, to];
  const found = database.getRange({
    ...(start ? { start: start as LmdbKey } : {}),
    ...(end ? { end: end as LmdbKey } : {}),
    // Backwards, lmdb counts its start in and its end out: both the other way round than a half-open range wants.
    ...(reverse ? { exclusiveStart: true, inclusiveEnd: true } : {}),
    reverse,
    limit,
  });
  // lmdb gives a key of one part back without its array.
  return [...found].map(({ key, value }) => ({ key: [key].flat() as Key, value: value as Value }));
}
