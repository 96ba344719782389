/** Bytes that are not a payload of this format: truncated, damaged, hostile, or of an unknown version. */
export class BadChunk extends Error {
  override readonly name = 'BadChunk';
}
