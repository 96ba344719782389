/** Bytes that are not a payload of this format: cut short, damaged, hostile, or of a version not known here. */
export class BadChunk extends Error {
  override readonly name = 'BadChunk';
}
