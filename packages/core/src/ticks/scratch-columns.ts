import { CHUNK_TRADES_MAX } from './payload.ts';
import { createTickColumns, type TickColumns } from './tick-columns.ts';

const scratch = createTickColumns(CHUNK_TRADES_MAX);

/**
 * The one set of columns that the long loops of a thread use: chunks are decoded into it and bars are built from
 * it. A module keeps its arrays as constants of its own (`const { price } = scratchColumns();` beside the imports): V8 then
 * knows their place and kind when it compiles a loop, and reads an element in half the time; what is imported, or
 * shorter than 64 bytes, it looks up again and again. Such loops are one synchronous step, so no two meet here. A
 * thread that transfers an ArrayBuffer to another loses part of the gain for good: every access then checks for that.
 */
export function scratchColumns(): TickColumns {
  return scratch;
}

/**
 * Node derives a class from Uint8Array, so that V8 asks each of them for its class at every access. A loop sees bytes
 * as signed instead.
 */
export function signedBytes({ buffer, byteOffset, length }: Uint8Array): Int8Array {
  return new Int8Array(buffer, byteOffset, length);
}
