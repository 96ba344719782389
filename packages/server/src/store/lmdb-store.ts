import { type Database, open, type RangeOptions, type RootDatabase, type Transaction } from 'lmdb';
import { systemClock } from '../platform/system-clock.ts';
import type { Change, Key, Range, Store, Table } from './store.ts';

const TABLES_MAX = 64;
const PROBE_TABLE = 'probe';
/** A disk that refused a commit is left alone for so long: every attempt makes lmdb write to stderr. */
const RETRY_AFTER_MS = 1_000;

type LmdbKey = (string | number)[];
type FailedCommit = Error & { readonly commitError?: Promise<never> };

/** The embedded store: one lmdb environment in one folder. Many may read it, one writes. */
export class LmdbStore implements Store {
  readonly #root: RootDatabase;
  readonly #databases = new Map<string, Database>();
  readonly #isReadOnly: boolean;
  #held: Transaction | undefined;
  #failure: { readonly error: unknown; readonly atMs: number } | undefined;

  constructor(folder: string, { isReadOnly = false }: { readonly isReadOnly?: boolean } = {}) {
    this.#isReadOnly = isReadOnly;
    this.#root = open({
      path: folder,
      maxDbs: TABLES_MAX,
      compression: false,
      readOnly: isReadOnly,
      // Else lmdb makes a promise of its own for each turn, which nobody can catch when a commit fails.
      eventTurnBatching: false,
    });
  }

  /**
   * Lets the next read see everything that is committed by now. On the event loop that happens by itself; a thread that
   * sleeps between its jobs must say when it begins, and when it is done, so that what it saw can be let go.
   */
  renew(): void {
    this.#root.resetReadTxn();
  }

  /** From here on every read sees what is committed by now, whatever is written meanwhile. Open the tables before. */
  hold(): void {
    this.#held ??= this.#root.useReadTransaction();
  }

  table<Value>(name: string, encoding: 'json' | 'binary'): Table<Value> {
    let database = this.#databases.get(name);
    if (!database) {
      // A reader gets nothing for a table that nobody has written to yet.
      database = this.#root.openDB({ name, encoding }) as Database | undefined;
      if (!database) return emptyTable<Value>(name);
      this.#databases.set(name, database);
    }
    return tableOf<Value>(name, database, () => this.#held && { transaction: this.#held });
  }

  async commit(changes: readonly Change[]): Promise<void> {
    if (this.#failure && systemClock.now() - this.#failure.atMs < RETRY_AFTER_MS) throw this.#failure.error;
    // Only a child transaction is undone when its callback throws.
    const committed = this.#root.childTransaction(() => {
      for (const { table, put, remove } of changes) {
        const database = this.#databases.get(table) as Database;
        for (const key of remove) void database.remove(key as LmdbKey);
        for (const { key, value } of put) void database.put(key as LmdbKey, value);
      }
    });
    // Asked for at once: later it would be that of another commit, and one that fails is never flushed.
    const flushed = this.#root.flushed.then(() => undefined);
    await committed.catch((failed: FailedCommit) => this.#fail(failed));
    await flushed;
    this.#failure = undefined;
  }

  /** Why a commit failed, a full disk mostly, lmdb says in a promise beside the error. */
  async #fail(failed: FailedCommit): Promise<never> {
    try {
      await failed.commitError;
    } catch (error) {
      this.#failure = { error, atMs: systemClock.now() };
      throw error;
    }
    throw failed;
  }

  async probe(): Promise<void> {
    await this.commit([this.table<number>(PROBE_TABLE, 'json').puts([{ key: ['probe'], value: 1 }])]);
  }

  async close(): Promise<void> {
    this.#held?.done();
    // lmdb waits for the newest commit to be flushed, for ever when it has failed. An empty one cannot fail.
    if (!this.#isReadOnly) await this.#root.childTransaction(() => undefined);
    await this.#root.close();
  }
}

function tableOf<Value>(
  name: string,
  database: Database,
  held: () => { transaction: Transaction } | undefined,
): Table<Value> {
  return {
    puts: (put) => ({ table: name, put, remove: [] }),
    removes: (remove) => ({ table: name, put: [], remove }),
    async get(key) {
      return database.get(key as LmdbKey, held()) as Value | undefined;
    },
    async range(range) {
      const found = database.getRange({ ...rangeOptions(range), ...held() });
      return [...found].map(({ key, value }) => ({ key: keyOf(key), value: value as Value }));
    },
    async keys(range) {
      return [...database.getKeys({ ...rangeOptions(range), ...held() })].map(keyOf);
    },
  };
}

function emptyTable<Value>(name: string): Table<Value> {
  return {
    puts: (put) => ({ table: name, put, remove: [] }),
    removes: (remove) => ({ table: name, put: [], remove }),
    get: async () => undefined,
    range: async () => [],
    keys: async () => [],
  };
}

function rangeOptions({ from, to, reverse = false, limit }: Range): RangeOptions {
  const [start, end] = reverse ? [to, from] : [from, to];
  return {
    ...(start ? { start: start as LmdbKey } : {}),
    ...(end ? { end: end as LmdbKey } : {}),
    // Backwards, lmdb counts its start in and its end out: both the other way round than a half-open range wants.
    ...(reverse ? { exclusiveStart: true, inclusiveEnd: true } : {}),
    reverse,
    limit,
  };
}

/** lmdb gives a key of one part back without its array. */
function keyOf(key: unknown): Key {
  return [key].flat() as Key;
}
