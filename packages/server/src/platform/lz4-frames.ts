import { XxHash32 } from './xxhash32.ts';

/**
 * Reads LZ4 frames as a stream: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md. The packages that decode
 * LZ4 want the whole file in memory; an hour of fills is a few hundred megabytes, and this needs one block of it.
 */
const FRAME_MAGIC = 0x184d2204;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** How far back a block may refer to the previous one. */
const WINDOW_BYTES = 65_536;
const MATCH_MIN = 4;

/** Yields the decoded bytes block by block; each is overwritten by the next. */
export async function* decodeLz4(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = new Input(parts);
  while (await input.has(4)) {
    const magic = input.take(4).readUInt32LE();
    if (magic >>> 4 === SKIPPABLE_MAGIC >>> 4) {
      await input.discard((await input.read(4)).readUInt32LE());
      continue;
    }
    if (magic !== FRAME_MAGIC) throw new Error('not an LZ4 frame');
    yield* decodeFrame(input);
  }
  if (!input.isEmpty) throw new Error('bytes after the last LZ4 frame');
}

interface FrameHeader {
  readonly blockBytesMax: number;
  readonly isLinked: boolean;
  readonly hasBlockChecksums: boolean;
  readonly hasChecksum: boolean;
}

async function readHeader(input: Input): Promise<FrameHeader> {
  const [flags = 0, limits = 0] = await input.read(2);
  if (flags >>> 6 !== 1) throw new Error(`LZ4 frames of version ${flags >>> 6} are not supported`);
  if ((flags & 1) === 1) throw new Error('LZ4 frames with a dictionary are not supported');
  const size = (flags & 8) === 0 ? Buffer.alloc(0) : Buffer.from(await input.read(8));
  const [given] = await input.read(1);
  const descriptor = Buffer.concat([Buffer.from([flags, limits]), size]);
  if (given !== ((new XxHash32().update(descriptor).digest() >>> 8) & 0xff))
    throw new Error('the header of an LZ4 frame is damaged');
  const code = (limits >>> 4) & 7;
  if (code < 4) throw new Error('the header of an LZ4 frame is damaged');
  return {
    blockBytesMax: 1 << (8 + 2 * code),
    isLinked: (flags & 32) === 0,
    hasBlockChecksums: (flags & 16) !== 0,
    hasChecksum: (flags & 4) !== 0,
  };
}

async function* decodeFrame(input: Input): AsyncGenerator<Buffer> {
  const { blockBytesMax, isLinked, hasBlockChecksums, hasChecksum } = await readHeader(input);
  const output = Buffer.allocUnsafe(WINDOW_BYTES + blockBytesMax);
  const hash = new XxHash32();
  let history = 0;
  for (;;) {
    const head = (await input.read(4)).readUInt32LE();
    if (head === 0) break;
    const length = head & 0x7fffffff;
    if (length > blockBytesMax) throw new Error('an LZ4 block is larger than its frame allows');
    const block = await input.read(length);
    const isStored = head >>> 31 === 1;
    const end = isStored ? history + block.copy(output, history) : decodeBlock(block, output, history);
    if (hasBlockChecksums) {
      const digest = new XxHash32().update(block).digest();
      if ((await input.read(4)).readUInt32LE() !== digest) throw new Error('an LZ4 block is damaged');
    }
    const made = output.subarray(history, end);
    if (hasChecksum) hash.update(made);
    yield made;
    if (!isLinked) continue;
    const kept = Math.min(end, WINDOW_BYTES);
    output.copyWithin(0, end - kept, end);
    history = kept;
  }
  if (hasChecksum && (await input.read(4)).readUInt32LE() !== hash.digest())
    throw new Error('the checksum of an LZ4 frame is wrong');
}

/** Decodes a block behind the content of `output`; returns where it ends. */
function decodeBlock(block: Buffer, output: Buffer, start: number): number {
  let from = 0;
  let to = start;
  const lengthOf = (first: number): number => {
    let length = first;
    if (first < 15) return length;
    for (let more = 255; more === 255; ) {
      if (from >= block.length) throw new Error('an LZ4 block is damaged');
      more = block[from++] as number;
      length += more;
    }
    return length;
  };
  while (from < block.length) {
    const token = block[from++] as number;
    const literals = lengthOf(token >>> 4);
    if (from + literals > block.length || to + literals > output.length)
      throw new Error('an LZ4 block is damaged');
    block.copy(output, to, from, from + literals);
    from += literals;
    to += literals;
    if (from === block.length) break;
    if (from + 2 > block.length) throw new Error('an LZ4 block is damaged');
    const distance = block.readUInt16LE(from);
    from += 2;
    const length = lengthOf(token & 15) + MATCH_MIN;
    if (distance === 0 || distance > to || to + length > output.length)
      throw new Error('an LZ4 block is damaged');
    if (distance >= length) output.copyWithin(to, to - distance, to - distance + length);
    else for (let i = to; i < to + length; i += 1) output[i] = output[i - distance] as number;
    to += length;
  }
  return to;
}

/** Bytes on demand from parts of any size. */
class Input {
  readonly #parts: AsyncIterator<Buffer>;
  #held = Buffer.alloc(0);

  constructor(parts: AsyncIterable<Buffer>) {
    this.#parts = parts[Symbol.asyncIterator]();
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  async has(count: number): Promise<boolean> {
    const more: Buffer[] = [this.#held];
    let length = this.#held.length;
    while (length < count) {
      const { value, done } = await this.#parts.next();
      if (done === true) break;
      more.push(value);
      length += value.length;
    }
    if (more.length > 1) this.#held = Buffer.concat(more, length);
    return length >= count;
  }

  take(count: number): Buffer {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  async read(count: number): Promise<Buffer> {
    if (!(await this.has(count))) throw new Error('an LZ4 frame is cut off');
    return this.take(count);
  }

  async discard(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      if (!(await this.has(1))) throw new Error('an LZ4 frame is cut off');
      left -= this.take(Math.min(left, this.#held.length)).length;
    }
  }
}
