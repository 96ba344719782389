import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { chunkDeflate } from '@crosstape/core';

/** A member larger than this when unpacked is no chunk of ours. */
const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;

/** One gzip member. Members can be concatenated and gunzipped at once. */
export function gzipChunk(payload: Uint8Array): Uint8Array {
  const { level, memLevel } = chunkDeflate;
  return gzipSync(payload, { level, memLevel, strategy: constants.Z_HUFFMAN_ONLY });
}

export function gunzipChunk(member: Uint8Array): Uint8Array {
  return gunzipSync(member, { maxOutputLength: PAYLOAD_BYTES_MAX });
}
