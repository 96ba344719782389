import { type FileHandle, open } from 'node:fs/promises';
import { HOUR_MS } from '@crosstape/core';
import { findHour } from './fill-folder.ts';
import { LineSplitter, linesIn } from './fill-lines.ts';

const PART_BYTES = 256 * 1024;

export interface FillTailOptions {
  readonly folder: string;
  /** Hour of the first file to read. */
  readonly hourMs: number;
}

/**
 * Reads the hourly files of a node one after the other, each as far as it is written. Moves on once a later file
 * exists: the node writes one at a time.
 */
export class FillTail {
  readonly #folder: string;
  #hourMs: number;
  #path: string | undefined;
  /** Which file was read, and how much of it. */
  #inode: number | undefined;
  #offset = 0;
  #splitter = new LineSplitter();

  constructor({ folder, hourMs }: FillTailOptions) {
    this.#folder = folder;
    this.#hourMs = hourMs;
  }

  /** The current file; `undefined` until it exists. */
  get path(): string | undefined {
    return this.#path;
  }

  /** What was written since the last call, a few lines at a time. An unfinished line is returned as it is. */
  async *read(nowMs: number): AsyncGenerator<readonly string[], void, undefined> {
    for (;;) {
      yield* this.#readFile();
      const next = await this.#nextHour(nowMs);
      if (next === undefined) return;
      // What was written before the next file was started.
      yield* this.#readFile();
      yield this.#splitter.finish();
      this.#hourMs = next;
      this.#path = undefined;
      this.#restart(undefined);
    }
  }

  async #nextHour(nowMs: number): Promise<number | undefined> {
    // The node's clock may be a little ahead of ours.
    for (let hourMs = this.#hourMs + HOUR_MS; hourMs <= nowMs + HOUR_MS; hourMs += HOUR_MS)
      if ((await findHour(this.#folder, hourMs)) !== undefined) return hourMs;
    return undefined;
  }

  async *#readFile(): AsyncGenerator<readonly string[], void, undefined> {
    this.#path ??= await findHour(this.#folder, this.#hourMs);
    const path = this.#path;
    if (path === undefined) return;
    if (path.endsWith('.lz4')) {
      // Compressed when its hour was over: it is read once.
      if (this.#offset === 0) yield* linesIn(path);
      this.#offset = 1;
      return;
    }
    const file = await open(path).catch((error: NodeJS.ErrnoException) => {
      // Removed, or compressed meanwhile.
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!file) {
      this.#path = undefined;
      return;
    }
    try {
      const { ino, size } = await file.stat();
      if (this.#inode !== ino || size < this.#offset) this.#restart(ino);
      yield* this.#readTo(file, size);
    } finally {
      await file.close();
    }
  }

  async *#readTo(file: FileHandle, size: number): AsyncGenerator<readonly string[], void, undefined> {
    const part = Buffer.allocUnsafe(PART_BYTES);
    while (this.#offset < size) {
      const { bytesRead } = await file.read(part, 0, PART_BYTES, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      const lines = this.#splitter.add(part.subarray(0, bytesRead));
      if (lines.length > 0) yield lines;
    }
  }

  #restart(inode: number | undefined): void {
    this.#inode = inode;
    this.#offset = 0;
    this.#splitter = new LineSplitter();
  }
}
