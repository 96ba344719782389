import type { Change, Entry, Key, Range, Store, Table } from '../store.ts';

/** A store in memory, for tests on a virtual clock: it needs no turn of the event loop. */
export class MemoryStore implements Store {
  readonly #tables = new Map<string, Map<string, Entry<unknown>>>();
  /** Called before each commit; may throw instead. */
  onCommit: (() => void) | undefined;

  table<Value>(name: string, _encoding: 'json' | 'binary'): Table<Value> {
    const range = ({ from, to, reverse = false, limit }: Range): readonly Entry<Value>[] => {
      const found = ([...this.#rows(name).values()] as Entry<Value>[])
        .filter(({ key }) => (!from || compareKeys(key, from) >= 0) && (!to || compareKeys(key, to) < 0))
        .toSorted((a, b) => compareKeys(a.key, b.key));
      return (reverse ? found.toReversed() : found).slice(0, limit);
    };
    return {
      get: async (key) => this.#rows(name).get(JSON.stringify(key))?.value as Value | undefined,
      range: async (one) => range(one),
      keys: async (one) => range(one).map(({ key }) => key),
      puts: (put) => ({ table: name, put, remove: [] }),
      appends: (put) => ({ table: name, put, remove: [], isAppending: true }),
      removes: (remove) => ({ table: name, put: [], remove }),
    };
  }

  async commit(changes: readonly Change[]): Promise<void> {
    this.onCommit?.();
    for (const { table, put, remove, isAppending } of changes) {
      const rows = this.#rows(table);
      for (const key of remove) rows.delete(JSON.stringify(key));
      for (const { key, value } of put) {
        const name = JSON.stringify(key);
        const before = isAppending ? (rows.get(name)?.value as Uint8Array | undefined) : undefined;
        rows.set(name, { key, value: before ? Buffer.concat([before, value as Uint8Array]) : value });
      }
    }
  }

  clear(): void {
    this.#tables.clear();
  }

  async probe(): Promise<void> {}

  async close(): Promise<void> {}

  #rows(name: string): Map<string, Entry<unknown>> {
    let rows = this.#tables.get(name);
    if (!rows) {
      rows = new Map();
      this.#tables.set(name, rows);
    }
    return rows;
  }
}

/** Part by part; numbers before texts, a shorter key before those that begin with it. */
function compareKeys(a: Key, b: Key): number {
  for (let i = 0; i < a.length; i += 1) {
    const [part, other] = [a[i]!, b[i]];
    if (other === undefined) return 1;
    if (part === other) continue;
    if (typeof part !== typeof other) return typeof part === 'number' ? -1 : 1;
    return part < other ? -1 : 1;
  }
  return a.length - b.length;
}
