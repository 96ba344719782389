import type { Readable } from 'node:stream';

/** Bytes that can be made again, and when they were stored. */
export interface StoredBlob {
  readonly data: Uint8Array;
  readonly storedAtMs: number;
}

/** A blob that is read as it is sent. */
export interface FoundBlob {
  readonly bytes: number;
  readonly storedAtMs: number;
  /** From the start; to be read to the end, or destroyed. */
  stream(): Readable;
}

/** Large derived data, such as results of builds. The oldest may be evicted at any time: callers make them again. */
export interface BlobStore {
  put(key: string, blob: StoredBlob): Promise<void>;
  get(key: string): Promise<StoredBlob | undefined>;
  /** For a blob that is sent to a client: nothing of it is read before its stream is. */
  find(key: string): Promise<FoundBlob | undefined>;
  /** Removes what was stored before a time, and the oldest beyond the cap. */
  prune(beforeMs: number): Promise<void>;
}
