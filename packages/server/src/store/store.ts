/** Parts of an ordered key, most significant first; numbers sort by value, before texts. */
export type Key = readonly (string | number)[];

export interface Entry<Value> {
  readonly key: Key;
  readonly value: Value;
}

/** Half open: `from` ≤ key < `to`. With `reverse`, from the greatest key below `to` downwards. */
export interface Range {
  readonly from?: Key;
  readonly to?: Key;
  readonly reverse?: boolean;
  readonly limit: number;
}

/** A change in a commit. */
export interface Change {
  readonly table: string;
  readonly put: readonly Entry<unknown>[];
  readonly remove: readonly Key[];
  /** Whether the bytes are appended to the stored ones. */
  readonly isAppending?: boolean;
}

/** An ordered map that outlives the process. */
export interface Table<Value> {
  get(key: Key): Promise<Value | undefined>;
  range(range: Range): Promise<readonly Entry<Value>[]>;
  /** The keys of a range, without reading values. */
  keys(range: Range): Promise<readonly Key[]>;
  puts(entries: readonly Entry<Value>[]): Change;
  /**
   * For binary tables: appends bytes to the stored ones. A standby's buffered appends are added even if the leader
   * wrote them before: readers must expect the same bytes twice.
   */
  appends(entries: readonly Entry<Uint8Array>[]): Change;
  removes(keys: readonly Key[]): Change;
}

/** Persistent tables: lmdb in one process, Redis for several. */
export interface Store {
  /** `json` tables hold plain values, `binary` ones hold bytes. */
  table<Value>(name: string, encoding: 'json'): Table<Value>;
  table(name: string, encoding: 'binary'): Table<Uint8Array>;
  /** Atomic; durable when it resolves. */
  commit(changes: readonly Change[]): Promise<void>;
  /** Rejects when the store cannot be written to. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** For worker threads: passes the current state of the store at a location to `read`. */
export type WithReader = <Result>(place: string, read: (store: Store) => Promise<Result>) => Promise<Result>;
