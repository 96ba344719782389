import { nextTurn } from '../platform/next-turn.ts';
import type { Entry, Key, Range, Store, Table } from './store.ts';

/** Rows read or removed at a time, so that a long scan leaves the event loop free in between. */
export const PAGE_ROWS = 1_000;

interface Pages extends Omit<Range, 'limit'> {
  readonly pageRows?: number;
  /** The caller that the work is scheduled for. */
  readonly caller?: string | undefined;
}

/** The rows of a range, one page at a time. Others get a turn in between. */
export function pagesOf<Value>(
  table: Table<Value>,
  pages: Pages,
): AsyncGenerator<readonly Entry<Value>[], void, undefined> {
  return paged(
    (range) => table.range(range),
    ({ key }) => key,
    pages,
  );
}

/** The keys of a range, one page at a time, without reading values. */
export function keyPagesOf<Value>(
  table: Table<Value>,
  pages: Pages,
): AsyncGenerator<readonly Key[], void, undefined> {
  return paged(
    (range) => table.keys(range),
    (key) => key,
    pages,
  );
}

async function* paged<Row>(
  read: (range: Range) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
  { pageRows = PAGE_ROWS, caller, ...first }: Pages,
): AsyncGenerator<readonly Row[], void, undefined> {
  for (let range = first; ; ) {
    const rows = await read({ ...range, limit: pageRows });
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (rows.length < pageRows) return;
    // What the reader removed is not missed, and what it left is not read again.
    range = range.reverse ? { ...range, to: keyOf(last) } : { ...range, from: [...keyOf(last), 0] };
    await nextTurn(caller);
  }
}

/** Removes the rows of a range, one page at a time. */
export async function removeRange<Value>(store: Store, table: Table<Value>, pages: Pages): Promise<void> {
  for await (const keys of keyPagesOf(table, pages)) await store.commit([table.removes(keys)]);
}

/** The oldest key of each coin, or market, of a table whose keys begin with it and a time. */
export async function* oldestKeysOf<Value>(
  table: Table<Value>,
): AsyncGenerator<readonly [name: string, ts: number], void, undefined> {
  for (let from: Key = ['']; ; ) {
    const [oldest] = await table.keys({ from, limit: 1 });
    if (!oldest) return;
    const [name, ts] = oldest as readonly [string, number];
    yield [name, ts];
    from = [name, Number.MAX_SAFE_INTEGER];
    await nextTurn();
  }
}

/** Removes the rows of each coin, or market, from before a time. */
export async function removeOlder<Value>(store: Store, table: Table<Value>, beforeMs: number): Promise<void> {
  if (beforeMs <= 0) return;
  for await (const [name, oldestTs] of oldestKeysOf(table))
    if (oldestTs < beforeMs) await removeRange(store, table, { from: [name], to: [name, beforeMs] });
}
