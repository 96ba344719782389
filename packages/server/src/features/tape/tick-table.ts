import {
  BadChunk,
  decodeIds,
  decodeReceipts,
  decodeTicks,
  encodeIds,
  encodeReceipts,
  encodeTicks,
  type IdColumns,
  type ReceiptColumns,
  splitPayloads,
  type TickColumns,
} from '@crosstape/core';
import { readRow } from '../../store/bad-row.ts';
import { gzipChunk, gzipIds } from './chunk-gzip.ts';
import { marketKey, marketsOf, PRIMARY_VENUE, symbolOf } from '../../store/market-key.ts';
import { keyPagesOf } from '../../store/pages.ts';
import type { Change, Entry, Key, Range, Store, Table } from '../../store/store.ts';

/** Rows removed at a time, so that pruning leaves the event loop free in between. */
const PRUNE_ROWS = 200;
const COINS_MAX = 5_000;
const TAIL_ENTRIES_MAX = 100_000;

/** Tables of the tape in a store. The first part of every key is a market id. */
export const tickTables = {
  chunks: 'tape',
  ids: 'tape-ids',
  receipts: 'tape-receipts',
  tail: 'tape-tail',
} as const;

/** The fields in the key of a sealed chunk. */
export interface ChunkName {
  /** The venue's symbol of the market; on the primary venue, the coin. */
  readonly coin: string;
  readonly startTs: number;
  readonly endTs: number;
  readonly trades: number;
}

/** A sealed chunk: one gzip member, served as it is stored. */
export interface StoredChunk extends ChunkName {
  readonly data: Uint8Array;
}

/** Knows which chunks are proven in the archive. */
export interface ArchivedChunks {
  hasChunk(key: Key): Promise<boolean>;
}

/** Trades with their ids and, if any is known, their receive times. */
export interface Ticks {
  readonly columns: TickColumns;
  readonly ids: IdColumns;
  readonly receipts?: ReceiptColumns | undefined;
}

/** A piece of a coin's tail as it is stored, and its place there. */
export interface StoredPiece {
  readonly position: number;
  readonly value: Uint8Array;
}

/** Trades of a coin that are not sealed yet, as they were written. */
export interface TailPiece extends StoredPiece, Ticks {}

/**
 * The recorded tape of one venue: sealed chunks and their ids, and for each coin (elsewhere than on the primary venue:
 * for each symbol) the pieces of its unsealed tail. A chunk and the end of the tail that it was made of are one commit.
 */
export class TickTable {
  readonly #store: Store;
  readonly #venue: string;
  readonly #chunks: Table<Uint8Array>;
  readonly #ids: Table<Uint8Array>;
  readonly #receipts: Table<Uint8Array>;
  readonly #tail: Table<Uint8Array>;

  constructor(store: Store, venue: string = PRIMARY_VENUE) {
    this.#store = store;
    this.#venue = venue;
    this.#chunks = store.table(tickTables.chunks, 'binary');
    this.#ids = store.table(tickTables.ids, 'binary');
    this.#receipts = store.table(tickTables.receipts, 'binary');
    this.#tail = store.table(tickTables.tail, 'binary');
  }

  commit(changes: readonly Change[]): Promise<void> {
    return this.#store.commit(changes);
  }

  /** Changes that add the trades `from <= i < to` to a coin's tail at a position that grows with every piece. */
  appending(coin: string, ticks: Ticks, from: number, to: number, position: number): readonly Change[] {
    return [this.appendingPiece(coin, { position, value: encodePiece(ticks, from, to) })];
  }

  /** The change that adds an encoded piece to a coin's tail. */
  appendingPiece(coin: string, { position, value }: StoredPiece): Change {
    return this.#tail.puts([{ key: [this.#market(coin), position], value }]);
  }

  /** The change that removes pieces of a coin's tail, which are in a later piece as well. */
  dropping(coin: string, positions: readonly number[]): Change {
    return this.#tail.removes(positions.map((position) => [this.#market(coin), position]));
  }

  /** Changes that make the trades `0 <= i < to` a chunk, and remove the pieces of the tail at these positions. */
  sealing(
    coin: string,
    { columns, ids, receipts }: Ticks,
    to: number,
    positions: readonly number[],
  ): readonly Change[] {
    const key: Key = [this.#market(coin), columns.ts[0] as number, columns.ts[to - 1] as number, to];
    return [
      this.#chunks.puts([{ key, value: gzipChunk(encodeTicks(columns, 0, to)) }]),
      this.#ids.puts([{ key, value: gzipIds(encodeIds(ids, 0, to)) }]),
      ...(receipts
        ? [this.#receipts.puts([{ key, value: gzipChunk(encodeReceipts(receipts, 0, to)) }])]
        : []),
      this.dropping(coin, positions),
    ];
  }

  /** Changes that remove a chunk, whose trades are in others as well. */
  unsealing({ coin, startTs, endTs, trades }: ChunkName): readonly Change[] {
    const key: Key = [this.#market(coin), startTs, endTs, trades];
    return this.#removing([key]);
  }

  /** Coins with any recorded trade, in order. */
  async coins(): Promise<readonly string[]> {
    const coins = new Set<string>();
    for (const table of [this.#chunks, this.#tail]) {
      let { from, to }: { from: Key; to: Key } = marketsOf(this.#venue);
      while (coins.size < COINS_MAX) {
        const [first] = await table.keys({ from, to, limit: 1 });
        if (!first) break;
        const market = first[0] as string;
        coins.add(symbolOf(market));
        from = [`${market}\u0000`];
      }
    }
    return [...coins].toSorted();
  }

  /** The unsealed trades of a coin, oldest first. */
  async tail(coin: string): Promise<readonly TailPiece[]> {
    const rows = await this.#tail.range({
      ...this.#all(coin),
      limit: TAIL_ENTRIES_MAX,
    });
    return rows.map(({ key, value }) => ({ position: key[1] as number, value, ...decodePiece(value) }));
  }

  /** The encoded pieces of a coin's tail at positions from `first` to `last`, by position. */
  async pieces(coin: string, first: number, last: number): Promise<ReadonlyMap<number, Uint8Array>> {
    const market = this.#market(coin);
    const rows = await this.#tail.range({
      from: [market, first],
      to: [market, last + 1],
      limit: TAIL_ENTRIES_MAX,
    });
    return new Map(rows.map(({ key, value }) => [key[1] as number, value]));
  }

  /** Sealed chunks with any trade in `fromTs <= ts < toTs`, oldest first. */
  chunks(coin: string, fromTs: number, toTs: number, limit: number): Promise<readonly StoredChunk[]> {
    return this.#members(this.#chunks, coin, fromTs, toTs, limit);
  }

  /** The ids of the same chunks. */
  chunkIds(coin: string, fromTs: number, toTs: number, limit: number): Promise<readonly StoredChunk[]> {
    return this.#members(this.#ids, coin, fromTs, toTs, limit);
  }

  /** The receive times of the same chunks; those recorded without have none. */
  chunkReceipts(coin: string, fromTs: number, toTs: number, limit: number): Promise<readonly StoredChunk[]> {
    return this.#members(this.#receipts, coin, fromTs, toTs, limit);
  }

  async #members(
    table: Table<Uint8Array>,
    coin: string,
    fromTs: number,
    toTs: number,
    limit: number,
  ): Promise<readonly StoredChunk[]> {
    const rows = await meeting(
      (range) => table.range(range),
      entryKey,
      this.#market(coin),
      fromTs,
      toTs,
      limit,
    );
    return rows.map(chunkOf);
  }

  /** The names of the same chunks, without reading them. */
  async names(coin: string, fromTs: number, toTs: number, limit: number): Promise<readonly ChunkName[]> {
    const keys = await meeting(
      (range) => this.#chunks.keys(range),
      (key) => key,
      this.#market(coin),
      fromTs,
      toTs,
      limit,
    );
    return keys.map(nameOf);
  }

  /** The newest sealed chunk of a coin. */
  async newest(coin: string): Promise<StoredChunk | undefined> {
    const [row] = await this.#chunks.range({
      ...this.#all(coin),
      reverse: true,
      limit: 1,
    });
    return row && chunkOf(row);
  }

  /** The names of the newest sealed chunks of a coin, without reading them, newest first. */
  async newestNames(coin: string, limit: number): Promise<readonly ChunkName[]> {
    const keys = await this.#chunks.keys({
      ...this.#all(coin),
      reverse: true,
      limit,
    });
    return keys.map(nameOf);
  }

  /**
   * Removes chunks that end before `beforeTs`; with an archive, only archived ones. The tail belongs to the recorder.
   */
  async prune(beforeTs: number, archive?: ArchivedChunks): Promise<void> {
    for (const coin of await this.coins()) {
      const { from } = this.#all(coin);
      const range = { from, to: [this.#market(coin), beforeTs], pageRows: PRUNE_ROWS };
      for await (const keys of keyPagesOf(this.#chunks, range)) {
        const ended = keys.filter((key) => (key[2] as number) < beforeTs);
        const old = archive ? await filterArchived(ended, archive) : ended;
        if (old.length > 0) await this.#store.commit(this.#removing(old));
      }
    }
  }

  /** The chunk that the unsealed trades of a coin make if they are sealed now; they are of one hour. */
  async openChunkKey(coin: string): Promise<Key | undefined> {
    const pieces = await this.tail(coin);
    const [first, last] = [pieces[0]?.columns, pieces.at(-1)?.columns];
    if (!first || !last) return undefined;
    const trades = pieces.reduce((sum, { columns }) => sum + columns.length, 0);
    return [this.#market(coin), first.ts[0] as number, last.ts[last.length - 1] as number, trades];
  }

  #removing(keys: readonly Key[]): readonly Change[] {
    return [this.#chunks.removes(keys), this.#ids.removes(keys), this.#receipts.removes(keys)];
  }

  #market(coin: string): string {
    return marketKey(this.#venue, coin);
  }

  /** Range of everything of a coin. */
  #all(coin: string): { readonly from: Key; readonly to: Key } {
    const market = this.#market(coin);
    return { from: [market, 0], to: [market, Number.MAX_SAFE_INTEGER] };
  }
}

async function filterArchived(keys: readonly Key[], archive: ArchivedChunks): Promise<readonly Key[]> {
  const archived: Key[] = [];
  for (const key of keys) if (await archive.hasChunk(key)) archived.push(key);
  return archived;
}

/** The length of the trades, then the payloads of trades, ids and, if any is known, receive times. */
export function encodePiece({ columns, ids, receipts }: Ticks, from: number, to: number): Uint8Array {
  const ticks = encodeTicks(columns, from, to);
  const parts = [ticks, encodeIds(ids, from, to)];
  if (receipts) parts.push(encodeReceipts(receipts, from, to));
  // It is kept: a slice of Node's shared pool would keep 8 KB of others with it.
  const piece = new Uint8Array(parts.reduce((size, { length }) => size + length, 4));
  new DataView(piece.buffer).setUint32(0, ticks.length);
  let at = 4;
  for (const part of parts) {
    piece.set(part, at);
    at += part.length;
  }
  return piece;
}

/** The trades of a piece of a tail. */
export function decodePiece(value: Uint8Array): Ticks {
  return readRow(value, (bytes) => {
    const split = 4 + new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
    const columns = decodeTicks(bytes.subarray(4, split));
    const [ids = new Uint8Array(), receipts, ...more] = splitPayloads(bytes.subarray(split));
    if (more.length > 0) throw new BadChunk('a piece of a tail with more than three payloads');
    return {
      columns,
      ids: decodeIds(ids),
      ...(receipts && { receipts: decodeReceipts(receipts) }),
    };
  });
}

/** The rows of chunks that meet `fromTs <= ts < toTs`. */
async function meeting<Row>(
  read: (range: Range) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
  market: string,
  fromTs: number,
  toTs: number,
  limit: number,
): Promise<readonly Row[]> {
  // The chunk that begins at or before `fromTs` may reach into the range; chunks never overlap, so no earlier one can.
  const [before] = await read({ from: [market, 0], to: [market, fromTs], reverse: true, limit: 1 });
  const head = before && (keyOf(before)[2] as number) >= fromTs ? [before] : [];
  const rest = await read({ from: [market, fromTs], to: [market, toTs], limit });
  return [...head, ...rest].slice(0, limit);
}

function entryKey({ key }: Entry<Uint8Array>): Key {
  return key;
}

function nameOf(key: Key): ChunkName {
  const [market, startTs, endTs, trades] = key as readonly [string, number, number, number];
  return { coin: symbolOf(market), startTs, endTs, trades };
}

function chunkOf({ key, value }: Entry<Uint8Array>): StoredChunk {
  return { ...nameOf(key), data: value };
}
