import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { BadChunk, chunkDeflate } from '@crosstape/core';
import { readRow } from '../../store/bad-row.ts';

/** A member larger than this when unpacked is no chunk of ours. */
const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;

/** One gzip member. Members can be concatenated and gunzipped at once. */
export function gzipChunk(payload: Uint8Array): Uint8Array {
  const { level, memLevel } = chunkDeflate;
  return gzipSync(payload, { level, memLevel, strategy: constants.Z_HUFFMAN_ONLY });
}

/**
 * Ids are hashes; only their highest byte is worth a code: this takes less than half the time and a little less room.
 */
export function gzipIds(payload: Uint8Array): Uint8Array {
  return gzipSync(payload, { level: 1, strategy: constants.Z_RLE });
}

export function gunzipChunk(member: Uint8Array): Uint8Array {
  return readRow(member, (bytes) => gunzipSync(bytes, { maxOutputLength: PAYLOAD_BYTES_MAX }));
}

/** Usual total size of unpacked members; more takes several steps. */
const TOGETHER_BYTES = 1024 * 1024;

/**
 * The payloads of members, one behind the other. On the caller's thread, which must be a worker: handing the bytes to
 * another one and back costs a third more CPU, which two builds at a time do not have to spare.
 */
export function gunzipChunks(members: readonly Uint8Array[]): Uint8Array {
  const maxOutputLength = members.length * PAYLOAD_BYTES_MAX;
  try {
    return gunzipSync(concat(members), { chunkSize: TOGETHER_BYTES, maxOutputLength });
  } catch (error) {
    // One by one, so that the damaged one is named.
    for (const member of members) gunzipChunk(member);
    throw error;
  }
}

/** The first byte of every member. */
const GZIP_BYTE = 0x1f;

/** Input of gunzip, reused: a new array for each batch keeps the garbage collector busy. */
let together = new Uint8Array(TOGETHER_BYTES);

/** Valid until the next call. */
function concat(members: readonly Uint8Array[]): Uint8Array {
  const bytes = members.reduce((sum, { length }) => sum + length, 0);
  if (bytes > together.length) together = new Uint8Array(bytes);
  let at = 0;
  for (const member of members) {
    // Zeros after a member are padding to gunzip, which would silently drop the rest.
    if (member[0] !== GZIP_BYTE) throw new BadChunk('a chunk that is not gzipped');
    together.set(member, at);
    at += member.length;
  }
  return together.subarray(0, bytes);
}
