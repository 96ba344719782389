import type { Key } from './store.ts';

/** Position of a row. */
export interface RowPlace {
  /** The file of an embedded store, or the name of a shared one. */
  readonly file: string;
  readonly table: string;
  readonly key: Key;
}

/** A damaged row. */
export class BadRowError extends Error {
  override readonly name = 'BadRowError';

  constructor({ file, table, key }: RowPlace, cause: unknown) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    super(`row ${key.join(' ')} of ${table} in ${file} is damaged: ${problem}`, { cause });
  }
}

/** Rows are passed on as bytes, and damage is found far from the store. */
const places = new WeakMap<Uint8Array, RowPlace>();

/** Decodes a row; the bytes of a binary one remember where they were read from. */
export function decodeRow<Value>(bytes: Buffer, encoding: 'json' | 'binary', place: RowPlace): Value {
  if (encoding === 'json') {
    try {
      return JSON.parse(bytes.toString()) as Value;
    } catch (error) {
      throw new BadRowError(place, error);
    }
  }
  places.set(bytes, place);
  return bytes as Value;
}

/** Reads the bytes of a row; errors name the row, if known. */
export function readRow<Result>(bytes: Uint8Array, read: (bytes: Uint8Array) => Result): Result {
  try {
    return read(bytes);
  } catch (error) {
    const place = places.get(bytes);
    throw place ? new BadRowError(place, error) : error;
  }
}
