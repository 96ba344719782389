import type { Key } from './store.ts';

/** Where a row lies. */
export interface RowPlace {
  /** The file of an embedded store, or the name of a shared one. */
  readonly file: string;
  readonly table: string;
  readonly key: Key;
}

/** A row that is not as it was written. */
export class BadRowError extends Error {
  override readonly name = 'BadRowError';

  constructor({ file, table, key }: RowPlace, cause: unknown) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    super(`row ${key.join(' ')} of ${table} in ${file} is damaged: ${problem}`, { cause });
  }
}

/** Rows are handed on as bytes, and found to be damaged far from the store. */
const places = new WeakMap<Uint8Array, RowPlace>();

/** The value of a row; the bytes of a binary one remember where they were read from. */
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

/** Reads the bytes of a row; an error says which row it was, if that is known. */
export function readRow<Result>(bytes: Uint8Array, read: (bytes: Uint8Array) => Result): Result {
  try {
    return read(bytes);
  } catch (error) {
    const place = places.get(bytes);
    throw place ? new BadRowError(place, error) : error;
  }
}
