import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes per read: frames are sent in stored order. */
const BLOCK_BYTES = 1 << 20;
/** Cached blocks. Clients are at about the same position of the capture. */
const BLOCKS_MAX = 8;
/** Bytes per write. */
const PENDING_BYTES_MAX = 1 << 20;

/** Where a payload is stored. */
export interface StoredBody {
  readonly offset: number;
  readonly length: number;
}

/** The payloads of a capture, uncompressed in a temporary file: a capture may exceed memory. */
export class BodyFile {
  readonly #folder: string;
  readonly #file: FileHandle;
  #size = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** By number, the most recently used last. */
  readonly #blocks = new Map<number, Promise<Buffer>>();

  static async create(): Promise<BodyFile> {
    const folder = await mkdtemp(join(tmpdir(), 'crosstape-replay-'));
    return new BodyFile(folder, await open(join(folder, 'bodies'), 'w+'));
  }

  private constructor(folder: string, file: FileHandle) {
    this.#folder = folder;
    this.#file = file;
  }

  /** Nothing may be read before `flush`. */
  async append(body: Buffer): Promise<StoredBody> {
    const stored = { offset: this.#size, length: body.length };
    this.#size += body.length;
    this.#pending.push(body);
    this.#pendingBytes += body.length;
    if (this.#pendingBytes >= PENDING_BYTES_MAX) await this.flush();
    return stored;
  }

  async flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    for (const body of pending) await this.#file.write(body);
  }

  async read({ offset, length }: StoredBody): Promise<Buffer> {
    const first = Math.floor(offset / BLOCK_BYTES);
    const last = Math.floor((offset + Math.max(1, length) - 1) / BLOCK_BYTES);
    if (last - first >= BLOCKS_MAX) return this.#readAt(offset, length);
    const from = offset - first * BLOCK_BYTES;
    if (first === last) return (await this.#block(first)).subarray(from, from + length);
    const blocks: Buffer[] = [];
    for (let number = first; number <= last; number += 1) blocks.push(await this.#block(number));
    return Buffer.concat(blocks).subarray(from, from + length);
  }

  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #block(number: number): Promise<Buffer> {
    const block = this.#blocks.get(number) ?? this.#readAt(number * BLOCK_BYTES, BLOCK_BYTES);
    this.#blocks.delete(number);
    this.#blocks.set(number, block);
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > BLOCKS_MAX && oldest !== undefined) this.#blocks.delete(oldest);
    return block;
  }

  async #readAt(offset: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }
}
