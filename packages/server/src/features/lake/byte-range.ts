/** Bytes `start <= i <= end`, the whole, or an unsatisfiable range. */
export type ByteRange = { readonly start: number; readonly end: number } | 'whole' | 'none';

/**
 * The part of a body that a `Range` header requests. One range is served; several, or an invalid one, mean the whole,
 * as the standard allows.
 */
export function readByteRange(header: string | undefined, bytes: number): ByteRange {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return 'whole';
  if (from === '') {
    const length = Math.min(Number(to), bytes);
    return length === 0 ? 'none' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(from);
  const end = to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (to !== '' && Number(to) < start) return 'whole';
  return start >= bytes ? 'none' : { start, end };
}
