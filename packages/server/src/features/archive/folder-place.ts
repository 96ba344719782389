import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type ArchivePlace,
  ArchiveError,
  DamagedFileError,
  type FileProof,
  MissingFileError,
} from './archive-place.ts';

const UNFINISHED = '.part';
const READ_BYTES = 262_144;

/** File operations of a folder archive; a test replaces them to fail at any step. */
export interface FileSteps {
  copy(from: string, to: string): Promise<void>;
  write(path: string, text: string): Promise<void>;
  sync(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

export const systemSteps: FileSteps = {
  copy: (from, to) => copyFile(from, to),
  write: (path, text) => writeFile(path, text),
  async sync(path) {
    const file = await open(path, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename,
};

/** An archive in a folder: a separate disk, or a mounted share. */
export class FolderPlace implements ArchivePlace {
  readonly #folder: string;
  readonly #steps: FileSteps;

  constructor(folder: string, steps: FileSteps = systemSteps) {
    this.#folder = folder;
    this.#steps = steps;
  }

  async put(key: string, path: string, proof: FileProof): Promise<void> {
    await this.#replace(key, (unfinished) => this.#steps.copy(path, unfinished), proof);
  }

  async putText(key: string, text: string): Promise<void> {
    await this.#replace(key, (unfinished) => this.#steps.write(unfinished, text));
  }

  async read(key: string, start: number, end: number): Promise<Buffer> {
    const file = await open(this.pathOf(key), 'r').catch((error: unknown) => {
      throw named(key, error);
    });
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      if (bytesRead < end - start) throw new ArchiveError(`${key} ends before byte ${end}`);
      return buffer;
    } finally {
      await file.close();
    }
  }

  async *stream(
    key: string,
    range?: { readonly start: number; readonly end: number },
  ): AsyncGenerator<Uint8Array> {
    const part = range && { start: range.start, end: range.end - 1 };
    try {
      yield* createReadStream(this.pathOf(key), { highWaterMark: READ_BYTES, ...part });
    } catch (error) {
      throw named(key, error);
    }
  }

  pathOf(key: string): string {
    return join(this.#folder, key);
  }

  async readText(key: string): Promise<string | undefined> {
    return readFile(this.pathOf(key), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  }

  /** Under a temporary name, on disk, read back, and only then under its key. */
  async #replace(key: string, write: (path: string) => Promise<void>, proof?: FileProof): Promise<void> {
    const path = this.pathOf(key);
    const unfinished = path + UNFINISHED;
    await mkdir(dirname(path), { recursive: true });
    try {
      await write(unfinished);
      await this.#steps.sync(unfinished);
      if (proof) await checkBytes(key, createReadStream(unfinished, { highWaterMark: READ_BYTES }), proof);
      await this.#steps.rename(unfinished, path);
      await this.#steps.sync(dirname(path));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }
}

function named(key: string, error: unknown): unknown {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  return isMissing ? new MissingFileError(`${key} is missing`) : error;
}

/** Rejects when the bytes are not those that were written. */
export async function checkBytes(
  key: string,
  parts: AsyncIterable<Uint8Array>,
  { bytes, sha256 }: FileProof,
): Promise<void> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const part of parts) {
    hash.update(part);
    read += part.length;
  }
  if (read !== bytes) throw new DamagedFileError(`${key} has ${read} bytes instead of ${bytes}`);
  const found = hash.digest('hex');
  if (found !== sha256) throw new DamagedFileError(`${key} has the SHA-256 ${found} instead of ${sha256}`);
}
