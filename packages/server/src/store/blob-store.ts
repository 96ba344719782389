/** Bytes that can be made again, and when they were stored. */
export interface StoredBlob {
  readonly data: Uint8Array;
  readonly storedAtMs: number;
}

/** Large derived data, such as results of builds. The oldest may be evicted at any time: callers make them again. */
export interface BlobStore {
  put(key: string, blob: StoredBlob): Promise<void>;
  get(key: string): Promise<StoredBlob | undefined>;
  /** Removes what was stored before a time, and the oldest beyond the cap. */
  prune(beforeMs: number): Promise<void>;
}
