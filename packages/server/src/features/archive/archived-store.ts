import type { Entry, Key, Range, Store, Table } from '../../store/store.ts';
import { tickTables } from '../tape/tick-table.ts';
import { ArchiveCatalog, type ArchivedChunk } from './archive-catalog.ts';
import type { ArchivePlace } from './archive-place.ts';
import { openArchive } from './open-archive.ts';
import { type FiledChunk, type Member, readMembers } from './tape-file.ts';

/**
 * A store for readers of the tape: chunks that have left the tables of the tape are read from the archive, under the
 * same keys.
 */
export async function archivedStore(store: Store): Promise<Store> {
  const catalog = new ArchiveCatalog(store);
  const address = await catalog.address();
  return address ? withArchive(store, catalog, openArchive(address)) : store;
}

export function withArchive(store: Store, catalog: ArchiveCatalog, place: ArchivePlace): Store {
  const members: Readonly<Record<string, (chunk: FiledChunk) => Member | undefined>> = {
    [tickTables.chunks]: ({ data }) => data,
    [tickTables.ids]: ({ ids }) => ids,
    [tickTables.receipts]: ({ receipts }) => receipts,
  };
  const table = (name: string, encoding: 'json' | 'binary'): Table<unknown> => {
    const memberOf = members[name];
    if (!memberOf) return store.table(name, encoding as 'json');
    return archivedTable(store.table(name, 'binary'), { catalog, place, memberOf });
  };
  return {
    table: table as Store['table'],
    commit: (changes) => store.commit(changes),
    probe: () => store.probe(),
    close: () => store.close(),
  };
}

interface Source {
  readonly catalog: ArchiveCatalog;
  readonly place: ArchivePlace;
  /** The table's member of a chunk; a chunk without one is not a row of it. */
  readonly memberOf: (chunk: FiledChunk) => Member | undefined;
}

function archivedTable(own: Table<Uint8Array>, { catalog, place, memberOf }: Source): Table<Uint8Array> {
  const read = async (rows: readonly Entry<ArchivedChunk>[]): Promise<readonly Entry<Uint8Array>[]> => {
    const found: Entry<Uint8Array>[] = [];
    const filed = rows.filter(({ value }) => memberOf(value));
    for (const group of groupByFile(filed.toSorted((a, b) => compare(a.key, b.key)))) {
      const first = group[0] as Entry<ArchivedChunk>;
      const values = await readMembers(
        place,
        first.value.file,
        group.map(({ value }) => memberOf(value) as Member),
      );
      for (const [i, value] of values.entries())
        found.push({ key: (group[i] as Entry<ArchivedChunk>).key, value });
    }
    return found;
  };
  return {
    async get(key) {
      const value = await own.get(key);
      if (value) return value;
      const [row] = await catalog.chunks({ from: key, to: [...key, 0], limit: 1 });
      return row && (await read([row]))[0]?.value;
    },
    async range(range) {
      // The store first: rows that leave it afterwards were archived before.
      const stored = await own.range(range);
      const archived = await catalog.chunks(range);
      const kept = joined<Entry<Uint8Array> | Entry<ArchivedChunk>>(
        stored,
        archived,
        range,
        ({ key }) => key,
      );
      const values = await read(kept.filter(isFiled));
      const byKey = new Map(values.map((entry) => [String(entry.key), entry]));
      return kept.flatMap((row) => (isFiled(row) ? (byKey.get(String(row.key)) ?? []) : [row]));
    },
    async keys(range) {
      const stored = await own.keys(range);
      return joined(stored, await catalog.chunkKeys(range), range, (key) => key);
    },
    puts: (entries) => own.puts(entries),
    appends: (entries) => own.appends(entries),
    removes: (keys) => own.removes(keys),
  };
}

function isFiled(row: Entry<Uint8Array> | Entry<ArchivedChunk>): row is Entry<ArchivedChunk> {
  return !(row.value instanceof Uint8Array);
}

/** Rows of both by key; the store takes precedence. */
function joined<Row>(
  stored: readonly Row[],
  archived: readonly Row[],
  { reverse = false, limit }: Range,
  keyOf: (row: Row) => Key,
): readonly Row[] {
  if (archived.length === 0) return stored;
  const inStore = new Set(stored);
  const sorted = [...stored, ...archived].toSorted((a, b) => compare(keyOf(a), keyOf(b)));
  const kept: Row[] = [];
  for (const row of sorted) {
    const last = kept.at(-1);
    const isSame =
      last !== undefined && inStore.has(last) !== inStore.has(row) && overlap(keyOf(last), keyOf(row));
    if (!isSame) kept.push(row);
    else if (inStore.has(row)) kept[kept.length - 1] = row;
  }
  return (reverse ? kept.toReversed() : kept).slice(0, limit);
}

/** Whether two chunks, the earlier one first, are of the same market and time. */
function overlap([market, , endTs]: Key, [otherMarket, startTs]: Key): boolean {
  return market === otherMarket && (startTs as number) <= (endTs as number);
}

/** Rows that follow each other in one file. */
function groupByFile(rows: readonly Entry<ArchivedChunk>[]): readonly (readonly Entry<ArchivedChunk>[])[] {
  const groups: Entry<ArchivedChunk>[][] = [];
  let file: string | undefined;
  for (const row of rows) {
    if (row.value.file !== file) groups.push([]);
    file = row.value.file;
    groups.at(-1)?.push(row);
  }
  return groups;
}

/** Numbers before texts, a shorter key before those that begin with it. */
function compare(a: Key, b: Key): number {
  for (const [i, part] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    if (part === other) continue;
    if (typeof part !== typeof other) return typeof part === 'number' ? -1 : 1;
    return part < other ? -1 : 1;
  }
  return a.length - b.length;
}
