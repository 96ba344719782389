import { Readable } from 'node:stream';

/** Bytes per part. */
const PART_BYTES = 262_144;

/** Streams bytes that are in memory without copying them: every reader shares them. */
export function streamBytes(bytes: Uint8Array): Readable {
  // Outside object mode, waiting parts would be joined by copying them.
  return Readable.from(partsOf(bytes), { objectMode: true, highWaterMark: 1 });
}

/** The same as a sequence of parts. */
export function* partsOf({ buffer, byteOffset, length }: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < length; at += PART_BYTES)
    yield Buffer.from(buffer, byteOffset + at, Math.min(PART_BYTES, length - at));
}
