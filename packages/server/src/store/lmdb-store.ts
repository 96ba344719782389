import { asBinary, type Database, open, type RangeOptions, type RootDatabase, type Transaction } from 'lmdb';
import { join } from 'node:path';
import { systemClock } from '../platform/system-clock.ts';
import { decodeRow } from './bad-row.ts';
import { DiskRoom, type Room } from './disk-room.ts';
import type { Change, Key, Range, Store, Table } from './store.ts';

/** The pages of a table, as lmdb counts them. */
interface TreeStats {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** The pages of a file: `root` lists the tables, `free` the free pages. */
interface EnvironmentStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly root: TreeStats;
  readonly free: TreeStats;
}

const META_PAGES = 2;

/**
 * Bytes of an lmdb file that no table uses. lmdb never shrinks its file, but fills these pages before it grows. It does
 * not report how many there are; it does report every page in use.
 */
function freePageBytes(stats: EnvironmentStats, tables: readonly TreeStats[]): number {
  const used = [stats.root, stats.free, ...tables].reduce(
    (sum, { treeBranchPageCount, treeLeafPageCount, overflowPages }) =>
      sum + treeBranchPageCount + treeLeafPageCount + overflowPages,
    META_PAGES,
  );
  return Math.max(0, stats.lastPageNumber + 1 - used) * stats.pageSize;
}

/** Name of the file in its folder. */
export const STORE_FILE = 'data.mdb';
const TABLES_MAX = 64;
const PROBE_TABLE = 'probe';
/** Maximum bytes of a key. */
const KEY_BYTES_MAX = 1_900;
const NUMBER_BYTES = 10;
/** How long the disk is not tried again after a refused commit. */
const RETRY_AFTER_MS = 1_000;
/** How long a free-space check is cached. */
const ROOM_REUSE_MS = 100;

type LmdbKey = (string | number)[];
/** A change that can no longer throw. */
interface Write {
  readonly database: Database;
  readonly put: readonly { readonly key: LmdbKey; readonly value: Uint8Array }[];
  readonly remove: readonly LmdbKey[];
  readonly isAppending: boolean;
  /** Bytes of the values. */
  readonly bytes: number;
}

interface OpenTable<Value> {
  readonly name: string;
  readonly database: Database;
  readonly decode: (key: Key, value: Buffer) => Value;
  readonly held: () => { transaction: Transaction } | undefined;
}

interface RoomMeasurement {
  readonly room: Promise<Room>;
  endedAtMs: number | undefined;
}

/**
 * Address space for the file, which takes no memory. By default lmdb starts with 128 KB, maps a growing file
 * repeatedly, and keeps every map: the same pages then count several times as resident.
 */
const MAP_BYTES = 64 * 2 ** 30;

export interface LmdbStoreOptions {
  readonly isReadOnly?: boolean;
  /** Deletes other files on the disk before the store refuses commits. */
  readonly makeRoom?: (bytes: number) => Promise<void>;
}

/** The embedded store: one lmdb environment in one folder, with many readers and one writer. */
export class LmdbStore implements Store {
  readonly #root: RootDatabase;
  readonly #databases = new Map<string, Database>();
  /** Tables that this process does not use, opened to count their pages. */
  readonly #unusedDatabases = new Map<string, Database>();
  readonly #folder: string;
  readonly #disk: DiskRoom;
  readonly #isReadOnly: boolean;
  #held: Transaction | undefined;
  #failure: { readonly error: unknown; readonly atMs: number } | undefined;
  #measurement: RoomMeasurement | undefined;

  constructor(folder: string, { isReadOnly = false, makeRoom }: LmdbStoreOptions = {}) {
    this.#folder = folder;
    this.#disk = new DiskRoom({
      folder,
      freePageBytes: () => this.freePageBytes(),
      ...(makeRoom && { makeRoom }),
    });
    this.#isReadOnly = isReadOnly;
    this.#root = open({
      path: folder,
      maxDbs: TABLES_MAX,
      compression: false,
      readOnly: isReadOnly,
      // Windows would make the file as large as its map.
      ...(process.platform !== 'win32' && { mapSize: MAP_BYTES }),
      // Otherwise lmdb makes a promise for each turn, which cannot be caught when a commit fails.
      eventTurnBatching: false,
    });
  }

  /**
   * Lets the next read see everything committed so far. On the event loop that happens by itself; a thread that sleeps
   * between its jobs must call it at the beginning, and at the end, so that its snapshot can be released.
   */
  renew(): void {
    this.#root.resetReadTxn();
  }

  /** From now on every read sees the current state, whatever is written meanwhile. Open the tables before. */
  hold(): void {
    this.#held ??= this.#root.useReadTransaction();
  }

  /** Ends `hold`. */
  release(): void {
    this.#held?.done();
    this.#held = undefined;
  }

  table<Value>(name: string, encoding: 'json' | 'binary'): Table<Value> {
    let database = this.#databases.get(name);
    if (!database) {
      // A reader gets nothing for a table that does not exist yet.
      database = this.#root.openDB({ name, encoding: 'binary' }) as Database | undefined;
      if (!database) return emptyTable<Value>(name);
      this.#databases.set(name, database);
    }
    const file = join(this.#folder, STORE_FILE);
    return tableOf<Value>({
      name,
      database,
      decode: (key, value) => decodeRow(value, encoding, { file, table: name, key }),
      held: () => this.#held && { transaction: this.#held },
    });
  }

  /** All tables in the file, whether this process uses them or not. */
  tableNames(): readonly string[] {
    return [...this.#root.getKeys()].map(String);
  }

  async commit(changes: readonly Change[]): Promise<void> {
    const isRemoval = changes.every(({ put }) => put.length === 0);
    // Removing rows is how a full disk gets space again, so it is always tried.
    if (!isRemoval && this.#failure && systemClock.now() - this.#failure.atMs < RETRY_AFTER_MS)
      throw this.#failure.error;
    const writes = changes.map((change) => this.#encode(change));
    try {
      const room = await this.#measuredRoom();
      if (isRemoval) this.#disk.checkRemoval(room);
      else
        this.#disk.checkWrite(
          room,
          writes.reduce((sum, { bytes }) => sum + bytes, 0),
        );
      await this.#write(writes);
      if (!isRemoval) this.#failure = undefined;
    } catch (error) {
      this.#failure = { error, atMs: systemClock.now() };
      throw error;
    }
  }

  /** Only lmdb itself may throw here: a transaction is not rolled back otherwise. */
  async #write(writes: readonly Write[]): Promise<void> {
    const committed = this.#root.transaction(() => {
      for (const { database, put, remove, isAppending } of writes) {
        for (const key of remove) void database.remove(key);
        for (const { key, value } of put) {
          const before = isAppending ? (database.get(key) as Buffer | undefined) : undefined;
          void database.put(key, asBinary(before ? Buffer.concat([before, value]) : value));
        }
      }
    });
    // Read at once: later it would belong to another commit, and a failed one is never flushed.
    const flushed = this.#root.flushed.then(() => undefined);
    // lmdb reports why a commit failed in a promise beside the error.
    await committed.catch(async (failed: Error & { readonly commitError?: Promise<never> }) => {
      await failed.commitError;
      throw failed;
    });
    await flushed;
  }

  /** One measurement serves all commits for a while, and only one runs at a time, so that commits keep their order. */
  #measuredRoom(): Promise<Room> {
    const isOld = (endedAtMs: number): boolean =>
      this.#failure !== undefined || systemClock.now() - endedAtMs >= ROOM_REUSE_MS;
    const last = this.#measurement;
    if (last && (last.endedAtMs === undefined || !isOld(last.endedAtMs))) return last.room;
    const measurement: RoomMeasurement = { room: this.#disk.measure(), endedAtMs: undefined };
    const end = (): void => {
      measurement.endedAtMs = systemClock.now();
    };
    void measurement.room.then(end, end);
    this.#measurement = measurement;
    return measurement.room;
  }

  /** Bytes of the file that no table uses. */
  freePageBytes(): number {
    const tables = this.tableNames().map((name) => {
      const database =
        this.#databases.get(name) ??
        this.#unusedDatabases.get(name) ??
        this.#root.openDB({ name, encoding: 'binary' });
      if (!this.#databases.has(name)) this.#unusedDatabases.set(name, database);
      return database.getStats() as TreeStats;
    });
    return freePageBytes(this.#root.getStats() as EnvironmentStats, tables);
  }

  #encode({ table, put, remove, isAppending = false }: Change): Write {
    const database = this.#databases.get(table);
    if (!database) throw new Error(`no table ${table} is open`);
    const values = put.map(({ value }) =>
      value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value)),
    );
    return {
      database,
      put: put.map(({ key }, i) => ({ key: lmdbKey(key), value: values[i] as Uint8Array })),
      remove: remove.map(lmdbKey),
      isAppending,
      bytes: values.reduce((sum, { length }) => sum + length, 0),
    };
  }

  async probe(): Promise<void> {
    await this.commit([this.table<number>(PROBE_TABLE, 'json').puts([{ key: ['probe'], value: 1 }])]);
  }

  async close(): Promise<void> {
    this.release();
    // A commit in flight writes once the disk has been measured.
    await this.#measurement?.room.catch(() => undefined);
    // lmdb waits for the newest commit to be flushed, forever if it has failed. An empty one cannot fail.
    if (!this.#isReadOnly) await this.#root.transaction(() => undefined);
    await this.#root.close();
  }
}

function tableOf<Value>({ name, database, decode, held }: OpenTable<Value>): Table<Value> {
  return {
    puts: (put) => ({ table: name, put, remove: [] }),
    appends: (put) => ({ table: name, put, remove: [], isAppending: true }),
    removes: (remove) => ({ table: name, put: [], remove }),
    async get(key) {
      const value = database.get(key as LmdbKey, held()) as Buffer | undefined;
      return value && decode(key, value);
    },
    async range(range) {
      const found = database.getRange({ ...rangeOptions(range), ...held() });
      return [...found].map((row) => {
        const key = keyOf(row.key);
        return { key, value: decode(key, row.value as Buffer) };
      });
    },
    async keys(range) {
      return [...database.getKeys({ ...rangeOptions(range), ...held() })].map(keyOf);
    },
  };
}

function emptyTable<Value>(name: string): Table<Value> {
  return {
    puts: (put) => ({ table: name, put, remove: [] }),
    appends: (put) => ({ table: name, put, remove: [], isAppending: true }),
    removes: (remove) => ({ table: name, put: [], remove }),
    get: async () => undefined,
    range: async () => [],
    keys: async () => [],
  };
}

function lmdbKey(key: Key): LmdbKey {
  const bytes = key.reduce<number>(
    (sum, part) => sum + (typeof part === 'number' ? NUMBER_BYTES : Buffer.byteLength(part)) + 1,
    0,
  );
  if (bytes > KEY_BYTES_MAX)
    throw new RangeError(`a key of ${bytes} bytes; at most ${KEY_BYTES_MAX} are allowed`);
  return key as LmdbKey;
}

function rangeOptions({ from, to, reverse = false, limit }: Range): RangeOptions {
  const [start, end] = reverse ? [to, from] : [from, to];
  return {
    ...(start ? { start: start as LmdbKey } : {}),
    ...(end ? { end: end as LmdbKey } : {}),
    // In reverse, lmdb includes the start and excludes the end: the opposite of a half-open range.
    ...(reverse ? { exclusiveStart: true, inclusiveEnd: true } : {}),
    reverse,
    limit,
  };
}

/** lmdb returns a key of one part without its array. */
function keyOf(key: unknown): Key {
  return (Array.isArray(key) ? key : [key]) as Key;
}
