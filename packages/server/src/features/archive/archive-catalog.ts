import { marketKey, symbolOf, venueOf } from '../../store/market-key.ts';
import { pagesOf, removeRange } from '../../store/pages.ts';
import type { Change, Entry, Key, Range, Store, Table } from '../../store/store.ts';
import { dateOf, readLakeKey, symbolInPath } from '../lake/lake-key.ts';
import type { LakeFile } from '../lake/lake-folder.ts';
import type { ArchiveAddress } from './archive-place.ts';
import type { FiledChunk, Member } from './tape-file.ts';

/** Tables of the catalogue in a store. */
const archiveTables = {
  chunks: 'archive-chunks',
  files: 'archive-files',
  address: 'archive',
} as const;

const ADDRESS_KEY: Key = ['address'];
/** Characters of the hash in the name of a file. */
const NAME_CHARS = 16;
const TAPE_KEY = new RegExp(
  `^tape/venue=[a-z0-9-]+/symbol=[^/]+/date=\\d{4}-\\d\\d-\\d\\d/[0-9a-f]{${NAME_CHARS}}\\.tape$`,
);
/** Chunks of a market's day, at most. */
const DAY_CHUNKS_MAX = 100_000;
/** Rows removed in one commit. */
const CLEAR_ROWS = 5_000;

/** A file of the archive. Days of the tape have keys that begin with `tape/`; the others are files of the lake. */
export type ArchiveFile = LakeFile;

/** A chunk in a file of the archive. */
export interface ArchivedChunk extends FiledChunk {
  readonly file: string;
}

/** The tape of a market's day in the archive. */
export interface SealedTape {
  readonly market: string;
  readonly sha256: string;
  readonly chunks: readonly FiledChunk[];
}

/** Place, bytes and checksum of a member. */
type MemberRow = readonly [number, number, number];

/** Positions of the members of a chunk: short, because there is a row for every chunk of years. */
type ChunkRow = readonly [...MemberRow, ...MemberRow, string, ...([] | MemberRow)];

/**
 * The verified content of the archive. Its chunks have the same keys as in the tables of the tape. Rows are written
 * after their files are verified, so everything they refer to exists.
 */
export class ArchiveCatalog {
  readonly #store: Store;
  readonly #chunks: Table<ChunkRow>;
  readonly #files: Table<ArchiveFile>;
  readonly #address: Table<ArchiveAddress>;

  constructor(store: Store) {
    this.#store = store;
    this.#chunks = store.table<ChunkRow>(archiveTables.chunks, 'json');
    this.#files = store.table<ArchiveFile>(archiveTables.files, 'json');
    this.#address = store.table<ArchiveAddress>(archiveTables.address, 'json');
  }

  /** The archive that the rows belong to; `undefined` if there is none. */
  address(): Promise<ArchiveAddress | undefined> {
    return this.#address.get(ADDRESS_KEY);
  }

  async setAddress(address: ArchiveAddress | undefined): Promise<void> {
    await this.#store.commit([
      address
        ? this.#address.puts([{ key: ADDRESS_KEY, value: address }])
        : this.#address.removes([ADDRESS_KEY]),
    ]);
  }

  /** Changes that enter proven files, and the chunks of a market's day. */
  entering(files: readonly ArchiveFile[], tape?: SealedTape): readonly Change[] {
    const rows = tape?.chunks.map((chunk) => ({
      key: keyOf(tape.market, chunk),
      value: rowOf(chunk, tape.sha256),
    }));
    return [
      this.#files.puts(files.map((file) => ({ key: [file.key], value: file }))),
      this.#chunks.puts(rows ?? []),
    ];
  }

  /** The changes that forget the tape of a market's day, before it is entered again. */
  async forgetting(market: string, fromTs: number, toTs: number): Promise<readonly Change[]> {
    const keys = await this.#chunks.keys({
      from: [market, fromTs],
      to: [market, toTs],
      limit: DAY_CHUNKS_MAX,
    });
    const from = tapeFolderOf(market, dateOf(fromTs));
    const files = await this.#files.keys({ from: [from], to: [`${from}\uffff`], limit: DAY_CHUNKS_MAX });
    return [this.#chunks.removes(keys), this.#files.removes(files)];
  }

  commit(changes: readonly Change[]): Promise<void> {
    return this.#store.commit(changes);
  }

  /** Chunks in a range of keys of the tape, with their positions. */
  async chunks(range: Range): Promise<readonly Entry<ArchivedChunk>[]> {
    const rows = await this.#chunks.range(range);
    return rows.map(({ key, value }) => ({ key, value: chunkOf(key, value) }));
  }

  chunkKeys(range: Range): Promise<readonly Key[]> {
    return this.#chunks.keys(range);
  }

  async hasChunk(key: Key): Promise<boolean> {
    return (await this.#chunks.get(key)) !== undefined;
  }

  file(key: string): Promise<ArchiveFile | undefined> {
    return this.#files.get([key]);
  }

  /** Every file, by key. */
  async *files(): AsyncGenerator<ArchiveFile> {
    for await (const rows of pagesOf(this.#files, {})) for (const { value } of rows) yield value;
  }

  /** Removes rows of another archive. */
  async clear(): Promise<void> {
    for (const table of [this.#chunks, this.#files])
      await removeRange<unknown>(this.#store, table, { pageRows: CLEAR_ROWS });
  }
}

/** Folder of a market's day of tape in the archive. */
export function tapeFolderOf(market: string, date: string): string {
  return `tape/venue=${venueOf(market)}/symbol=${symbolInPath(symbolOf(market))}/date=${date}/`;
}

/** The key of the file with the tape of a market's day: a day that is sealed again with more trades gets another. */
export function tapeKeyOf(market: string, date: string, sha256: string): string {
  return `${tapeFolderOf(market, date)}${sha256.slice(0, NAME_CHARS)}.tape`;
}

/** Whether a key has the form of an archive file. */
export function isArchiveKey(key: string): boolean {
  return TAPE_KEY.test(key) || readLakeKey(key) !== undefined;
}

/** The UTC date of a file. */
export function dateInKey({ key }: Pick<ArchiveFile, 'key'>): string {
  return /date=(\d{4}-\d\d-\d\d)/.exec(key)?.[1] ?? '';
}

function keyOf(market: string, { startTs, endTs, trades }: FiledChunk): Key {
  return [marketKey(venueOf(market), symbolOf(market)), startTs, endTs, trades];
}

function rowOf({ data, ids, receipts }: FiledChunk, sha256: string): ChunkRow {
  const row = [...memberRow(data), ...memberRow(ids), sha256.slice(0, NAME_CHARS)] as const;
  return receipts ? [...row, ...memberRow(receipts)] : row;
}

function memberRow({ at, bytes, crc }: Member): MemberRow {
  return [at, bytes, crc];
}

function chunkOf(key: Key, row: ChunkRow): ArchivedChunk {
  const [at, bytes, crc, idsAt, idsBytes, idsCrc, name, ...received] = row;
  const [receiptsAt, receiptsBytes = 0, receiptsCrc = 0] = received;
  const [market, startTs, endTs, trades] = key as readonly [string, number, number, number];
  const data: Member = { at, bytes, crc };
  const file = tapeKeyOf(market, dateOf(startTs), name);
  const ids: Member = { at: idsAt, bytes: idsBytes, crc: idsCrc };
  const chunk = { file, startTs, endTs, trades, data, ids };
  if (receiptsAt === undefined) return chunk;
  return { ...chunk, receipts: { at: receiptsAt, bytes: receiptsBytes, crc: receiptsCrc } };
}
