import { BadChunk } from './bad-chunk.ts';

/** LEB128: integers below 2^53, seven bits per byte, low bits first. */
const VARINT_BYTES_MAX = 8;

export function varintBytes(value: number): number {
  let count = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) count += 1;
  return count;
}

/** Returns where the next byte goes. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  let next = at;
  for (; rest >= 128; rest = Math.floor(rest / 128)) {
    bytes[next] = (rest % 128) | 128;
    next += 1;
  }
  bytes[next] = rest;
  return next + 1;
}

export function readVarint(bytes: Uint8Array, at: number): { readonly value: number; readonly next: number } {
  let value = 0;
  let scale = 1;
  for (let i = 0; i < VARINT_BYTES_MAX; i += 1) {
    const byte = bytes[at + i];
    if (byte === undefined) throw new BadChunk('cut short within a number of the header');
    value += (byte & 127) * scale;
    if (byte < 128) {
      if (!Number.isSafeInteger(value)) throw new BadChunk('a number of the header is not below 2^53');
      return { value, next: at + i + 1 };
    }
    scale *= 128;
  }
  throw new BadChunk(`a number of the header is longer than ${VARINT_BYTES_MAX} bytes`);
}
