import { createReadStream } from 'node:fs';
import { decodeLz4 } from '../../platform/lz4-frames.ts';

const PART_BYTES = 256 * 1024;
/** A block with more fills than fit into this is not one. */
const LINE_BYTES_MAX = 64 * 1_048_576;
const LINE_END = 0x0a;

/** Splits bytes into lines, and buffers the incomplete one. */
export class LineSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** The lines that end in the next bytes, which may be overwritten afterwards. Throws when a line is too long. */
  add(part: Buffer): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = part.indexOf(LINE_END); end >= 0; end = part.indexOf(LINE_END, from)) {
      this.#held.push(part.subarray(from, end));
      lines.push(this.#take());
      from = end + 1;
    }
    this.#held.push(Buffer.from(part.subarray(from)));
    this.#heldBytes += part.length - from;
    if (this.#heldBytes > LINE_BYTES_MAX) throw new Error(`a line is longer than ${LINE_BYTES_MAX} bytes`);
    return lines;
  }

  /** The line that has not ended, if any. */
  finish(): readonly string[] {
    return this.#heldBytes > 0 ? [this.#take()] : [];
  }

  #take(): string {
    const line = Buffer.concat(this.#held).toString();
    this.#held = [];
    this.#heldBytes = 0;
    return line;
  }
}

/** The lines of a file, compressed or not, a few at a time; at last the one without an end. */
export async function* linesIn(path: string): AsyncGenerator<readonly string[], void, undefined> {
  const bytes = createReadStream(path, { highWaterMark: PART_BYTES }) as AsyncIterable<Buffer>;
  const splitter = new LineSplitter();
  for await (const part of path.endsWith('.lz4') ? decodeLz4(bytes) : bytes) yield splitter.add(part);
  yield splitter.finish();
}
