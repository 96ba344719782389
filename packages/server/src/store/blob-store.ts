import type { Readable } from 'node:stream';

/** Derived bytes, and when they were stored. */
export interface StoredBlob {
  readonly data: Uint8Array;
  readonly storedAtMs: number;
}

/** A blob that is streamed. */
export interface FoundBlob {
  readonly bytes: number;
  readonly storedAtMs: number;
  /** From the start; must be read to the end, or destroyed. */
  stream(): Readable;
}

/** Large derived data, such as results of builds. The oldest may be evicted at any time: callers make them again. */
export interface BlobStore {
  put(key: string, blob: StoredBlob): Promise<void>;
  get(key: string): Promise<StoredBlob | undefined>;
  /** For a blob that is sent to a client: nothing is read before its stream is. */
  find(key: string): Promise<FoundBlob | undefined>;
  /** Removes blobs older than a time, and the oldest beyond the limit. */
  prune(beforeMs: number): Promise<void>;
}
