import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, type Gzip } from 'node:zlib';
import type { Clock, Timer } from '@crosstape/core';
import { type CaptureHeader, type CaptureLine, partsOfLine } from './format.ts';

/** Characters waiting to be compressed. */
const QUEUE_CHARS_MAX = 64 * 2 ** 20;
/** Small lines are compressed together up to this size. */
const BATCH_CHARS_MAX = 64 * 1024;
/** Size of a line besides its body, for the limit of the queue. */
const LINE_CHARS = 200;
/** A crash loses at most this much of the file. */
const FLUSH_EVERY_MS = 5_000;

export interface CaptureFileOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly queueCharsMax?: number;
}

/** A capture file: JSON lines, compressed, in order of arrival. */
export class CaptureFile {
  /** Rejects when the file cannot be written any more. */
  readonly written: Promise<void>;
  readonly #gzip: Gzip = createGzip();
  readonly #file: WriteStream;
  readonly #queueCharsMax: number;
  readonly #flushing: Timer;
  /** Bounded by its characters. Lines are encoded when they are written. */
  readonly #queue: QueuedLine[] = [];
  #queuedChars = 0;
  #pumping: Promise<void> | undefined;
  #hasFailed = false;
  readonly #waiting: (() => void)[] = [];

  /** Throws if the file exists. */
  static async create(options: CaptureFileOptions, header: CaptureHeader): Promise<CaptureFile> {
    const file = createWriteStream(options.path, { flags: 'wx' });
    await once(file, 'open');
    const capture = new CaptureFile(options, file);
    capture.#push(header);
    return capture;
  }

  private constructor({ clock, queueCharsMax = QUEUE_CHARS_MAX }: CaptureFileOptions, file: WriteStream) {
    this.#file = file;
    this.#queueCharsMax = queueCharsMax;
    this.written = pipeline(this.#gzip, file).catch((error: unknown) => {
      this.#hasFailed = true;
      this.#release();
      throw error;
    });
    // The caller reports it; until then it must not be an unhandled rejection.
    this.written.catch(() => {});
    this.#flushing = clock.every(FLUSH_EVERY_MS, () => this.#gzip.flush(constants.Z_SYNC_FLUSH));
  }

  /** Compressed bytes on disk. */
  get bytes(): number {
    return this.#file.bytesWritten;
  }

  /** Whether a line that cannot wait must be dropped. */
  get isFull(): boolean {
    return this.#hasFailed || this.#queuedChars >= this.#queueCharsMax;
  }

  /** Always accepts the line; resolves when there is room for more. */
  async write(line: CaptureLine): Promise<void> {
    if (this.#hasFailed) return;
    this.#push(line);
    if (this.isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Writes what is queued and ends the file. */
  async close(): Promise<void> {
    this.#flushing.cancel();
    await this.#pumping;
    this.#gzip.end();
    await this.written;
  }

  #push(line: CaptureLine | CaptureHeader): void {
    const chars = LINE_CHARS + charsOf(line);
    this.#queue.push({ line, chars });
    this.#queuedChars += chars;
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    // Lines of the same turn of the event loop are compressed together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0 && !this.#hasFailed) await this.#compress(this.#queue.splice(0));
    this.#pumping = undefined;
  }

  async #compress(lines: readonly QueuedLine[]): Promise<void> {
    let batch = '';
    let charsInBatch = 0;
    for (const [i, { line, chars }] of lines.entries()) {
      for (const part of partsOfLine(line)) {
        batch += part;
        if (batch.length < BATCH_CHARS_MAX) continue;
        await this.#send(batch);
        batch = '';
      }
      charsInBatch += chars;
      if (batch !== '' && i < lines.length - 1) continue;
      if (batch !== '') await this.#send(batch);
      batch = '';
      this.#queuedChars -= charsInBatch;
      charsInBatch = 0;
      if (!this.isFull) this.#release();
      if (this.#hasFailed) return;
    }
  }

  async #send(text: string): Promise<void> {
    if (this.#gzip.write(text)) return;
    await Promise.race([once(this.#gzip, 'drain'), this.written]).catch(() => {});
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

interface QueuedLine {
  readonly line: CaptureLine | CaptureHeader;
  readonly chars: number;
}

function charsOf(line: CaptureLine | CaptureHeader): number {
  if (!('body' in line) || line.body === undefined) return 0;
  return 'text' in line.body ? line.body.text.length : line.body.base64.length;
}
