import { type FileHandle, open } from 'node:fs/promises';
import {
  BadPage,
  checkMagic,
  META_BYTES,
  overflowStart,
  type Page,
  PAGE_BYTES_MAX,
  readPage,
  readSnapshot,
  type Row,
  type Snapshot,
  type Tree,
  type Value,
} from './lmdb-pages.ts';

/** Pages read at a time by a scan. */
const SCAN_PAGES = 256;
/** Page sizes of the systems that lmdb runs on, most common first. */
const USUAL_PAGE_SIZES = [4_096, 16_384, 8_192, 65_536];
/** A larger value is damage: no row comes near it. */
const VALUE_BYTES_MAX = 64 * 2 ** 20;

/** An lmdb file, read with plain reads: damage is an error, never the end of the process. */
export class LmdbFile {
  readonly #handle: FileHandle;
  readonly #bytes: number;
  readonly #pageSize: number;
  /** The newest first. */
  readonly snapshots: readonly Snapshot[];

  /** Throws a `BadPage` if no valid state of the file is found. */
  static async open(path: string): Promise<LmdbFile> {
    const handle = await open(path, 'r');
    try {
      const { size } = await handle.stat();
      return new LmdbFile(handle, size, await readSnapshots(handle));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** As above, for a file whose header may be lost: it has no snapshots, and the page size is found by trial. */
  static async openDamaged(path: string): Promise<LmdbFile> {
    try {
      return await LmdbFile.open(path);
    } catch (error) {
      if (!(error instanceof BadPage)) throw error;
    }
    const handle = await open(path, 'r');
    const { size } = await handle.stat();
    for (const pageSize of USUAL_PAGE_SIZES) {
      const file = new LmdbFile(handle, size, [], pageSize);
      for await (const { rows } of file.leaves()) if (rows.length > 0) return file;
    }
    await handle.close();
    throw new BadPage('no page of it can be read');
  }

  private constructor(
    handle: FileHandle,
    bytes: number,
    snapshots: readonly Snapshot[],
    pageSize = snapshots[0]?.pageSize ?? 0,
  ) {
    this.#handle = handle;
    this.#bytes = bytes;
    this.snapshots = snapshots;
    this.#pageSize = pageSize;
  }

  /** The rows of a tree in key order. A page that cannot be read is reported and left out, with everything below it. */
  async *rows({ root, depth }: Tree, onDamage: (problem: BadPage) => void): AsyncGenerator<Row> {
    if (root === undefined) return;
    let page: Page;
    try {
      page = await this.#page(root);
      if ((page.kind === 'leaf') !== depth <= 1) throw new BadPage(`page ${root} is at the wrong depth`);
    } catch (error) {
      if (!(error instanceof BadPage)) throw error;
      onDamage(error);
      return;
    }
    if (page.kind === 'leaf') yield* this.#soundRows(page.rows, onDamage);
    else
      for (const child of page.children)
        yield* this.rows({ root: child, depth: depth - 1, entries: 0 }, onDamage);
  }

  *#soundRows(rows: readonly Row[], onDamage: (problem: BadPage) => void): Generator<Row> {
    for (const row of rows) {
      if (this.#isInside(row.value)) yield row;
      else onDamage(new BadPage('a value lies behind the end of the file'));
    }
  }

  #isInside(value: Value): boolean {
    if (value.kind !== 'overflow') return true;
    const end = overflowStart(value, this.#pageSize) + value.length;
    return value.length <= VALUE_BYTES_MAX && end <= this.#bytes;
  }

  /** The leaf pages of the whole file, in use or not, of any tree. */
  async *leaves(): AsyncGenerator<{ readonly txnId: number; readonly rows: readonly Row[] }> {
    const pageSize = this.#pageSize;
    const block = new Uint8Array(SCAN_PAGES * pageSize);
    for (let at = 0; at < this.#bytes; at += block.length) {
      const { bytesRead } = await this.#handle.read(block, 0, block.length, at);
      for (let offset = 0; offset + pageSize <= bytesRead; offset += pageSize) {
        const page = pageOrNot(block.subarray(offset, offset + pageSize), (at + offset) / pageSize);
        if (page?.kind !== 'leaf') continue;
        yield { txnId: page.txnId, rows: page.rows.filter(({ value }) => this.#isInside(value)) };
      }
    }
  }

  /** The bytes of a value; none if it is a tree. */
  async bytesOf(value: Value): Promise<Uint8Array> {
    if (value.kind === 'inline') return value.bytes;
    if (value.kind === 'tree') return new Uint8Array();
    return this.#read(overflowStart(value, this.#pageSize), value.length);
  }

  async #page(number: number): Promise<Page> {
    return readPage(await this.#read(number * this.#pageSize, this.#pageSize), number);
  }

  async #read(at: number, length: number): Promise<Uint8Array> {
    if (at + length > this.#bytes) throw new BadPage(`byte ${at + length} lies behind the end of the file`);
    const bytes = new Uint8Array(length);
    const { bytesRead } = await this.#handle.read(bytes, 0, length, at);
    if (bytesRead < length) throw new BadPage(`byte ${at + length} lies behind the end of the file`);
    return bytes;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** lmdb keeps the last two commits at the start of the first two pages, and the last flushed one half a page further. */
async function readSnapshots(handle: FileHandle): Promise<readonly Snapshot[]> {
  const bytes = new Uint8Array(PAGE_BYTES_MAX * 2);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
  const at = (offset: number): Snapshot =>
    readSnapshot(bytes.subarray(offset, Math.min(bytesRead, offset + META_BYTES)));
  checkMagic(bytes.subarray(0, bytesRead));
  const first = at(0);
  const others = [first.pageSize / 2, first.pageSize].flatMap((offset) => {
    try {
      const other = at(offset);
      return other.pageSize === first.pageSize && other.txnId > 0 ? [other] : [];
    } catch (error) {
      if (!(error instanceof BadPage)) throw error;
      return [];
    }
  });
  return [first, ...others].toSorted((a, b) => b.txnId - a.txnId);
}

function pageOrNot(bytes: Uint8Array, number: number): Page | undefined {
  try {
    return readPage(bytes, number);
  } catch (error) {
    if (!(error instanceof BadPage)) throw error;
    return undefined;
  }
}
