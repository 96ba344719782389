import * as lmdb from 'lmdb';
import type { Key } from './store.ts';

/** Exported by lmdb, but missing from its types. */
const { bufferToKeyValue } = lmdb as unknown as {
  readonly bufferToKeyValue: (bytes: Uint8Array) => unknown;
};

/** Decodes a key of an lmdb file; `undefined` if it is not one of our keys. */
export function decodeKey(bytes: Uint8Array): Key | undefined {
  try {
    const value = bufferToKeyValue(Buffer.from(bytes));
    const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
    return parts.every((part) => typeof part === 'string' || typeof part === 'number') ? parts : undefined;
  } catch {
    return undefined;
  }
}
