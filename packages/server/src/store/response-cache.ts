import type { Log } from '../platform/log.ts';
import type { Store, Table } from './store.ts';

/** Entries read at the start; there are a few for each source that is kept. */
const ENTRIES_MAX = 1_000;

/** A few named values that outlive the process. All are in memory; each is written when it changes. */
export class ResponseCache<Value> {
  readonly #store: Store;
  readonly #table: Table<Value>;
  readonly #log: Log;
  readonly #values = new Map<string, Value>();
  #writing: Promise<void> = Promise.resolve();

  static async open<Value>(store: Store, name: string, log: Log): Promise<ResponseCache<Value>> {
    const table = new ResponseCache<Value>(store, name, log);
    await table.reload();
    return table;
  }

  private constructor(store: Store, name: string, log: Log) {
    this.#store = store;
    this.#table = store.table<Value>(name, 'json');
    this.#log = log;
  }

  /** Reads what another process has written meanwhile. */
  async reload(): Promise<void> {
    for (const { key, value } of await this.#table.range({ limit: ENTRIES_MAX }))
      this.#values.set(String(key[0]), value);
  }

  get(name: string): Value | undefined {
    return this.#values.get(name);
  }

  /** A failed write is reported, and the value is kept until the process ends. */
  put(name: string, value: Value): void {
    if (!this.#values.has(name) && this.#values.size >= ENTRIES_MAX)
      throw new RangeError(`more than ${ENTRIES_MAX} values are kept`);
    this.#values.set(name, value);
    this.#writing = this.#writing
      .then(() => this.#store.commit([this.#table.puts([{ key: [name], value }])]))
      .catch((error: unknown) =>
        this.#log.error({ err: error, name }, 'cannot save a value for the next start'),
      );
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    await this.#writing;
  }
}
