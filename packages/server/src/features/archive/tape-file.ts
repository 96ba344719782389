import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { crc32, gunzipSync, gzipSync } from 'node:zlib';
import { decodeIds, decodeReceipts, decodeTicks } from '@crosstape/core';
import type { StoredMarket } from '../market-tape/market-table.ts';
import { gunzipChunk } from '../tape/chunk-gzip.ts';
import type { Gap, TapeSpan } from '../tape/gap-ledger.ts';
import type { PrintedChunk } from '../tape/print-trades.ts';
import type { PageChunk } from '../tape/tape-reader.ts';
import { type ArchivePlace, DamagedFileError, type FileProof } from './archive-place.ts';

/*
 * The day of a market as it was recorded, in one file: the chunks, then their ids, then their receive times where
 * known, each a gzip member as the store had it; then the index as gzipped JSON, its length, and eight letters. Chunks that follow each other are read at once.
 */

const MAGIC = 'CTTAPE01';
/** Length of the index, and the letters. */
const FOOTER_BYTES = 12;
const INDEX_BYTES_MAX = 64 * 2 ** 20;

/** Position of a member in its file. */
export interface Member {
  readonly at: number;
  readonly bytes: number;
  readonly crc: number;
}

/** A chunk in a file. */
export interface FiledChunk {
  readonly startTs: number;
  readonly endTs: number;
  readonly trades: number;
  readonly data: Member;
  readonly ids: Member;
  /** Absent if no receive time is known. */
  readonly receipts?: Member;
}

/** Facts about the day besides its trades. */
export interface TapeFacts {
  /** Id of the market. */
  readonly market: string;
  /** UTC: `2026-11-09`. */
  readonly date: string;
  readonly gaps: readonly Gap[];
  /** When the feed of the venue was connected. */
  readonly spans: readonly TapeSpan[];
  /** The listing of a market of another venue than the primary. */
  readonly listing?: StoredMarket | undefined;
}

export interface TapeIndex extends TapeFacts {
  readonly chunks: readonly FiledChunk[];
}

export interface WrittenTape extends FileProof {
  readonly md5: string;
  readonly rows: number;
  readonly chunks: readonly FiledChunk[];
}

/** Writes the day of a market. Each chunk is decoded first: an unreadable one is not sealed. */
export async function writeTapeFile(
  path: string,
  facts: TapeFacts,
  pages: AsyncIterable<readonly PageChunk[]>,
): Promise<WrittenTape> {
  const sha256 = createHash('sha256');
  const md5 = createHash('md5');
  const file = await open(path, 'w');
  let at = 0;
  const write = async (bytes: Uint8Array): Promise<Member> => {
    await file.writeFile(bytes);
    sha256.update(bytes);
    md5.update(bytes);
    at += bytes.length;
    return { at: at - bytes.length, bytes: bytes.length, crc: crc32(bytes) };
  };
  try {
    const heads: Omit<FiledChunk, 'ids' | 'receipts'>[] = [];
    // A day of ids is below 100 MB even at ten million trades; they follow the chunks.
    const idMembers: Uint8Array[] = [];
    const receiptMembers: (Uint8Array | undefined)[] = [];
    for await (const page of pages) {
      for (const { startTs, endTs, trades, data, ids, receipts } of page) {
        if (!ids) throw new Error(`the ids of ${facts.market} at ${startTs} are missing`);
        checkChunk({ startTs, endTs, trades }, { data, ids, receipts });
        heads.push({ startTs, endTs, trades, data: await write(data) });
        idMembers.push(ids);
        receiptMembers.push(receipts);
      }
    }
    const chunks: FiledChunk[] = [];
    for (const [i, ids] of idMembers.entries())
      chunks.push({ ...(heads[i] as FiledChunk), ids: await write(ids) });
    for (const [i, receipts] of receiptMembers.entries())
      if (receipts) chunks[i] = { ...(chunks[i] as FiledChunk), receipts: await write(receipts) };
    const index = gzipSync(JSON.stringify({ ...facts, chunks } satisfies TapeIndex));
    await write(index);
    const footer = Buffer.alloc(FOOTER_BYTES, MAGIC, 'latin1');
    footer.writeUInt32LE(index.length, 0);
    footer.write(MAGIC, 4, 'latin1');
    await write(footer);
    await file.sync();
    const rows = chunks.reduce((sum, { trades }) => sum + trades, 0);
    return { rows, bytes: at, sha256: sha256.digest('hex'), md5: md5.digest('hex'), chunks };
  } finally {
    await file.close();
  }
}

/** Decodes a chunk; throws if its trades do not match its name. */
function checkChunk(
  { startTs, endTs, trades }: Pick<FiledChunk, 'startTs' | 'endTs' | 'trades'>,
  { data, ids, receipts }: PrintedChunk,
): void {
  const { ts, length } = decodeTicks(gunzipChunk(data));
  const isWhole = length === trades && ts[0] === startTs && ts[length - 1] === endTs;
  const counts = [decodeIds(gunzipChunk(ids)).length];
  if (receipts) counts.push(decodeReceipts(gunzipChunk(receipts)).length);
  if (!isWhole || counts.some((count) => count !== trades))
    throw new Error(`the chunk from ${startTs} to ${endTs} does not hold ${trades} trades`);
}

/** The index of a file in the archive. */
export async function readTapeIndex(place: ArchivePlace, key: string, bytes: number): Promise<TapeIndex> {
  const footer = await place.read(key, bytes - FOOTER_BYTES, bytes);
  const length = footer.readUInt32LE(0);
  if (footer.toString('latin1', 4) !== MAGIC || length > Math.min(INDEX_BYTES_MAX, bytes - FOOTER_BYTES))
    throw new DamagedFileError(`${key} does not end like a day of the tape`);
  const index = await place.read(key, bytes - FOOTER_BYTES - length, bytes - FOOTER_BYTES);
  try {
    const text = gunzipSync(index, { maxOutputLength: INDEX_BYTES_MAX }).toString();
    return JSON.parse(text) as TapeIndex;
  } catch (error) {
    throw new DamagedFileError(`the index of ${key} cannot be read: ${(error as Error).message}`);
  }
}

/** The members of chunks that follow each other in a file, with one read. */
export async function readMembers(
  place: ArchivePlace,
  key: string,
  members: readonly Member[],
): Promise<readonly Uint8Array[]> {
  const [first, last] = [members[0], members.at(-1)];
  if (!first || !last) return [];
  const bytes = await place.read(key, first.at, last.at + last.bytes);
  return members.map(({ at, bytes: length, crc }) => {
    const member = bytes.subarray(at - first.at, at - first.at + length);
    if (crc32(member) !== crc) throw new DamagedFileError(`${key} is damaged at byte ${at}`);
    return member;
  });
}
