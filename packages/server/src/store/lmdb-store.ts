import { type Database, open, type RootDatabase } from 'lmdb';
import type { Entry, Key, Range, Store, Table } from './store.ts';

const TABLES_MAX = 64;
const PROBE_TABLE = 'probe';

type LmdbKey = (string | number)[];

/** The embedded store: one lmdb environment in one folder. */
export class LmdbStore implements Store {
  readonly #root: RootDatabase;
  readonly #tables = new Map<string, Database>();

  constructor(folder: string) {
    this.#root = open({ path: folder, maxDbs: TABLES_MAX, compression: false });
  }

  table<Value>(name: string, encoding: 'json' | 'binary'): Table<Value> {
    let database = this.#tables.get(name);
    if (!database) {
      database = this.#root.openDB({ name, encoding });
      this.#tables.set(name, database);
    }
    return new LmdbTable<Value>(database);
  }

  async probe(): Promise<void> {
    await this.table<number>(PROBE_TABLE, 'json').put([{ key: ['probe'], value: 1 }]);
  }

  async close(): Promise<void> {
    await this.#root.close();
  }
}

class LmdbTable<Value> implements Table<Value> {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async put(entries: readonly Entry<Value>[]): Promise<void> {
    await this.#commit(() => {
      for (const { key, value } of entries) this.#database.put(key as LmdbKey, value);
    });
  }

  async remove(keys: readonly Key[]): Promise<void> {
    await this.#commit(() => {
      for (const key of keys) this.#database.remove(key as LmdbKey);
    });
  }

  async get(key: Key): Promise<Value | undefined> {
    return this.#database.get(key as LmdbKey) as Value | undefined;
  }

  async range({ from, to, reverse = false, limit }: Range): Promise<readonly Entry<Value>[]> {
    const [start, end] = reverse ? [to, from] : [from, to];
    const found = this.#database.getRange({
      ...(start ? { start: start as LmdbKey } : {}),
      ...(end ? { end: end as LmdbKey } : {}),
      // Backwards, lmdb counts its start in and its end out: both the other way round than a half-open range wants.
      ...(reverse ? { exclusiveStart: true, inclusiveEnd: true } : {}),
      reverse,
      limit,
    });
    // lmdb gives a key of one part back without its array.
    return [...found].map(({ key, value }) => ({ key: [key].flat() as LmdbKey, value: value as Value }));
  }

  /** One transaction, on disk when this resolves. */
  async #commit(write: () => void): Promise<void> {
    await this.#database.transaction(write);
    await this.#database.flushed;
  }
}
