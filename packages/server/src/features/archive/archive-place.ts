/** Destination of sealed days, without keys, which come from the environment. */
export interface ArchiveAddress {
  /** A folder, or `s3://bucket/prefix`. */
  readonly archive: string;
  /** Endpoint of an S3-compatible store; default: AWS. */
  readonly endpoint?: string | undefined;
  /** Whether the archive's list is in the catalogue. */
  readonly isRestored?: boolean;
}

/** The figures of a file that prove its bytes. */
export interface FileProof {
  readonly bytes: number;
  readonly sha256: string;
}

/** A folder or bucket of immutable files. */
export interface ArchivePlace {
  /**
   * Stores the file at `path` under a key and reads it back; resolves when the stored bytes have this hash and survive
   * a crash. Until then, the key has nothing or its previous content.
   */
  put(key: string, path: string, proof: FileProof): Promise<void>;
  /** Replaces a small text in one step. */
  putText(key: string, text: string): Promise<void>;
  /** Bytes `start <= i < end`; rejects if there are fewer. */
  read(key: string, start: number, end: number): Promise<Buffer>;
  /** The whole file in parts; rejects if there is none. */
  stream(key: string, range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
  /** Path of a file on this machine; absent for remote archives. */
  pathOf?(key: string): string;
  /** `undefined` if there is none. */
  readText(key: string): Promise<string | undefined>;
  /** Removes old unfinished uploads, unless the next attempt replaces them. Returns how many. */
  removeUnfinished?(): Promise<number>;
}

/** A problem with the archive itself, in a sentence for the operator. */
export class ArchiveError extends Error {
  override readonly name: string = 'ArchiveError';
}

/** A file that is not there. */
export class MissingFileError extends ArchiveError {}

/** A file whose bytes are not those that were sealed. */
export class DamagedFileError extends ArchiveError {}
