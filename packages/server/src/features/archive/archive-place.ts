/** Where sealed days go, without keys: these come from the environment. */
export interface ArchiveAddress {
  /** A folder, or `s3://bucket/prefix`. */
  readonly archive: string;
  /** Of an S3-compatible store; default: AWS. */
  readonly endpoint?: string | undefined;
  /** Whether what the archive lists is in the catalogue. */
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
   * Stores the file at `path` under a key and reads it back; resolves when the stored bytes have this hash and outlast a
   * crash. Before that, nothing is under the key, or what was there before.
   */
  put(key: string, path: string, proof: FileProof): Promise<void>;
  /** Replaces a small text in one step. */
  putText(key: string, text: string): Promise<void>;
  /** Bytes `start <= i < end`; rejects when there are fewer. */
  read(key: string, start: number, end: number): Promise<Buffer>;
  /** The whole file in parts; rejects when there is none. */
  stream(key: string, range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
  /** Where a file is on a disk of this machine; absent: on none. */
  pathOf?(key: string): string;
  /** `undefined` when there is none. */
  readText(key: string): Promise<string | undefined>;
  /** Removes what was begun long ago and never finished, where it is not replaced by the next attempt. Returns how many. */
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
