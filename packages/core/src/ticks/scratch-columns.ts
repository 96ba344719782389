import { CHUNK_TRADES_MAX } from './payload.ts';
import { createTickColumns, type TickColumns } from './tick-columns.ts';

const scratch = createTickColumns(CHUNK_TRADES_MAX);

/**
 * The columns that the long loops of a thread use: chunks are decoded into them and bars are built from them. A module
 * keeps the arrays as its own constants (`const { price } = scratchColumns();` beside the imports): V8 then knows their
 * address and kind when it compiles a loop, and reads an element in half the time; imported arrays, or those shorter
 * than 64 bytes, are looked up each time. Such loops are synchronous, so the columns are never shared. A thread that
 * transfers an ArrayBuffer to another loses part of the gain permanently: every access then checks for it.
 */
export function scratchColumns(): TickColumns {
  return scratch;
}

/** Node derives a class from Uint8Array, so V8 checks the class at every access. Loops use signed bytes instead. */
export function signedBytes({ buffer, byteOffset, length }: Uint8Array): Int8Array {
  return new Int8Array(buffer, byteOffset, length);
}
