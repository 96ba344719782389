/**
 * The file format of lmdb (data version 2, little endian, as lmdb 3.5 writes it), as far as needed to find rows without
 * lmdb. lmdb maps the file into memory and trusts it: a damaged page ends the process with SIGBUS or SIGSEGV.
 */

const HEADER_BYTES = 24;
const NODE_BYTES = 8;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const PAGE_SIZES = [512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536];
const TREE_BYTES = 48;
const OVERFLOW_POINTER_BYTES = 24;
const DEPTH_MAX = 32;

const pageFlags = { branch: 0x01, leaf: 0x02, kinds: 0x0f } as const;
const nodeFlags = { big: 0x01, tree: 0x02, duplicates: 0x04 } as const;

/** Bytes that violate the format. */
export class BadPage extends Error {
  override readonly name = 'BadPage';
}

/** Where the rows of a table begin. */
export interface Tree {
  /** `undefined` if it has no rows. */
  readonly root: number | undefined;
  readonly depth: number;
  readonly entries: number;
}

/** A state of the file that a commit left. */
export interface Snapshot {
  readonly pageSize: number;
  readonly txnId: number;
  readonly lastPage: number;
  /** Written before all of its pages were known to be on disk. */
  readonly isUnflushed: boolean;
  readonly free: Tree;
  readonly main: Tree;
}

/** A value: in the page of its key, or in overflow pages. */
export type Value =
  | { readonly kind: 'inline'; readonly bytes: Uint8Array }
  | { readonly kind: 'overflow'; readonly page: number; readonly pages: number; readonly length: number }
  | { readonly kind: 'tree'; readonly tree: Tree };

export interface Row {
  readonly key: Uint8Array;
  readonly value: Value;
}

export type Page = { readonly txnId: number } & (
  | { readonly kind: 'branch'; readonly children: readonly number[] }
  | { readonly kind: 'leaf'; readonly rows: readonly Row[] }
);

/** Page sizes lmdb may have chosen; the first snapshot names the one of the file. */
export const PAGE_BYTES_MAX = 65_536;
export const META_BYTES = 168;

/** lmdb writes the overlapping-sync mark with the flags of the free list. */
const UNFLUSHED_FLAG = 0x1000;

/** Throws a `BadPage` if a file with these first bytes is not an lmdb file. */
export function checkMagic(bytes: Uint8Array): void {
  const view = viewOf(bytes);
  if (bytes.length < META_BYTES || view.getUint32(HEADER_BYTES, true) !== MAGIC)
    throw new BadPage('it does not begin like an lmdb file');
  const version = view.getUint32(HEADER_BYTES + 4, true) & 0xffff;
  if (version !== DATA_VERSION) throw new BadPage(`data version ${version}, not ${DATA_VERSION}`);
}

/** Throws a `BadPage` if these bytes are not a snapshot. Not every snapshot repeats the magic number. */
export function readSnapshot(bytes: Uint8Array): Snapshot {
  const view = viewOf(bytes);
  if (bytes.length < META_BYTES) throw new BadPage('a snapshot is cut short');
  const pageSize = view.getUint32(48, true);
  if (!PAGE_SIZES.includes(pageSize)) throw new BadPage(`a page size of ${pageSize}`);
  return {
    pageSize,
    txnId: Number(view.getBigUint64(152, true)),
    lastPage: Number(view.getBigUint64(144, true)),
    isUnflushed: (view.getUint16(52, true) & UNFLUSHED_FLAG) !== 0,
    free: readTree(view, 48),
    main: readTree(view, 96),
  };
}

function readTree(view: DataView, at: number): Tree {
  const root = view.getBigUint64(at + 40, true);
  const depth = view.getUint16(at + 6, true);
  if (depth > DEPTH_MAX) throw new BadPage(`a tree of depth ${depth}`);
  return {
    root: root === NO_PAGE ? undefined : Number(root),
    depth,
    entries: Number(view.getBigUint64(at + 32, true)),
  };
}

/** Throws a `BadPage` if these bytes are not a branch or leaf page with this number. */
export function readPage(bytes: Uint8Array, number: number): Page {
  const view = viewOf(bytes);
  if (bytes.length < HEADER_BYTES) throw new BadPage(`page ${number} is cut short`);
  if (view.getBigUint64(0, true) !== BigInt(number)) throw new BadPage(`page ${number} has another number`);
  const kind = view.getUint16(18, true) & pageFlags.kinds;
  if (kind !== pageFlags.branch && kind !== pageFlags.leaf)
    throw new BadPage(`page ${number} is neither branch nor leaf`);
  const nodes = view.getUint16(20, true) >> 1;
  const upper = view.getUint16(22, true) + HEADER_BYTES;
  if (HEADER_BYTES + nodes * 2 > upper || upper > bytes.length)
    throw new BadPage(`page ${number} has bounds that cannot be`);
  const offsets = Array.from(
    { length: nodes },
    (_, i) => view.getUint16(HEADER_BYTES + i * 2, true) + HEADER_BYTES,
  );
  if (offsets.some((at) => at < upper || at + NODE_BYTES > bytes.length))
    throw new BadPage(`page ${number} has a row outside itself`);
  const txnId = Number(view.getBigUint64(8, true));
  if (kind === pageFlags.branch) {
    return { kind: 'branch', txnId, children: offsets.map((at) => childAt(view, at)) };
  }
  return { kind: 'leaf', txnId, rows: offsets.map((at) => rowAt(bytes, view, at, number)) };
}

function childAt(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32;
}

function rowAt(bytes: Uint8Array, view: DataView, at: number, page: number): Row {
  const length = view.getUint32(at, true);
  const flags = view.getUint16(at + 4, true);
  const dataAt = at + NODE_BYTES + view.getUint16(at + 6, true);
  const inPage =
    (flags & nodeFlags.big) !== 0
      ? OVERFLOW_POINTER_BYTES
      : (flags & nodeFlags.tree) !== 0
        ? TREE_BYTES
        : length;
  if ((flags & nodeFlags.duplicates) !== 0 || dataAt + inPage > bytes.length)
    throw new BadPage(`page ${page} has a row that cannot be`);
  const key = bytes.slice(at + NODE_BYTES, dataAt);
  if ((flags & nodeFlags.big) !== 0) {
    const [first, pages] = [view.getBigUint64(dataAt, true), view.getBigUint64(dataAt + 16, true)];
    return { key, value: { kind: 'overflow', page: Number(first), pages: Number(pages), length } };
  }
  if ((flags & nodeFlags.tree) !== 0) return { key, value: { kind: 'tree', tree: readTree(view, dataAt) } };
  return { key, value: { kind: 'inline', bytes: bytes.slice(dataAt, dataAt + length) } };
}

/** An overflow value begins after the header of its first page. */
export function overflowStart({ page }: { readonly page: number }, pageSize: number): number {
  return page * pageSize + HEADER_BYTES;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
