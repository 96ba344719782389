import lz4 from 'lz4js';

/** An LZ4 frame, as the fills of the primary venue are published. */
export function compressLz4(bytes: Uint8Array): Buffer {
  return Buffer.from(lz4.compress(bytes));
}
