import type { ColumnChunk, DecodedArray, Encoding } from 'hyparquet';
import { type ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import type { ParquetColumn } from './parquet-file.ts';

/*
 * Large columns as `hyparquet-writer` encodes them, byte for byte, at a third of its cost: without a BigInt, an object
 * or a call for each value. What is not encoded here is left to the library.
 */

/** Groups with fewer rows are left to the library. */
export const ENCODED_ROWS_MIN = 1_000;
const SAMPLES = 1_000;
/** The library tries no dictionary when more of the samples differ. */
const SAMPLES_DISTINCT_MAX = 0.9;
/** The differences of times below this are exact, and so is twice a difference. */
const TIME_MAX = 2 ** 51;
const BLOCK_VALUES = 128;
const MINIBLOCKS = 4;
const MINIBLOCK_VALUES = BLOCK_VALUES / MINIBLOCKS;
/** Together with seven pending bits, a value fits into the 32 bits of one number. */
const PACKED_BITS_MAX = 25;
/** Runs that are as long are written as a value and a count. */
const RUN_MIN = 8;
const HIGH = 2 ** 32;

interface Page {
  readonly encoding: Encoding;
  readonly bytes: Uint8Array;
  /** The values that the page points to. */
  readonly dictionary?: { readonly values: number; readonly bytes: Uint8Array };
}

/** Encodes the columns of one file; its memory is that of one column. */
export class ColumnEncoder {
  readonly #compress: (bytes: Uint8Array) => Uint8Array;
  #out = new Uint8Array(0);
  #indexes = new Int32Array(0);
  #slots = new Int32Array(0);

  constructor(compress: (bytes: Uint8Array) => Uint8Array) {
    this.#compress = compress;
  }

  /** Writes a column; `undefined`: nothing was written, and the library must write it. */
  write(writer: ByteWriter, column: ParquetColumn, values: DecodedArray): ColumnChunk | undefined {
    const { length } = values;
    if (column.isNullable || length < ENCODED_ROWS_MIN) return undefined;
    // No encoding needs more for a value.
    if (this.#out.length < 8 * (length + BLOCK_VALUES)) {
      this.#out = new Uint8Array(8 * (length + BLOCK_VALUES));
      this.#indexes = new Int32Array(length);
    }
    const page = this.#encode(column, values);
    return page && this.#append(writer, column, length, page);
  }

  #encode({ type, encoding }: ParquetColumn, values: DecodedArray): Page | undefined {
    if (values instanceof BigInt64Array && encoding === 'DELTA_BINARY_PACKED') return this.#deltas(values);
    if (values instanceof BigInt64Array && encoding === 'PLAIN') return plain(values);
    if (values instanceof Float64Array && encoding === undefined)
      return this.#dictionary(values) ?? plain(values);
    if (values instanceof Uint8Array && type === 'BOOLEAN') return this.#flags(values);
    if (type === 'STRING' && encoding === undefined) return oneText(values);
    return undefined;
  }

  #flags(values: Uint8Array): Page {
    const out = this.#out;
    const end = writeHybrid(values, values.length, 1, out, 4);
    new DataView(out.buffer).setUint32(0, end - 4, true);
    return { encoding: 'RLE', bytes: out.subarray(0, end) };
  }

  /** A dictionary whose values are ordered by their first appearance, where it at least halves the bytes. */
  #dictionary(values: Float64Array): Page | undefined {
    const { length } = values;
    if (!mayRepeat(values)) return undefined;
    const slotBits = 33 - Math.clz32(length);
    if (this.#slots.length !== 2 ** slotBits) this.#slots = new Int32Array(2 ** slotBits);
    const slots = this.#slots.fill(0);
    const indexes = this.#indexes;
    const words = new Int32Array(values.buffer, values.byteOffset, 2 * length);
    const distinctMax = length >> 1;
    const found = new Int32Array(2 * distinctMax);
    let distinct = 0;
    for (let i = 0; i < length; i += 1) {
      const low = words[2 * i]!;
      const high = words[2 * i + 1]!;
      const mixed = Math.imul(low ^ Math.imul(high, 0x85eb_ca6b), 0x9e37_79b1);
      let slot = (mixed ^ (mixed >>> 15)) & (slots.length - 1);
      let index = slots[slot]! - 1;
      while (index >= 0 && (found[2 * index] !== low || found[2 * index + 1] !== high)) {
        slot = (slot + 1) & (slots.length - 1);
        index = slots[slot]! - 1;
      }
      if (index < 0) {
        if (distinct === distinctMax) return undefined;
        found[2 * distinct] = low;
        found[2 * distinct + 1] = high;
        index = distinct;
        distinct += 1;
        slots[slot] = distinct;
      }
      indexes[i] = index;
    }
    const bits = Math.ceil(Math.log2(distinct));
    if (2 * (8 * distinct + Math.ceil((length * bits) / 8)) > 8 * length) return undefined;
    this.#out[0] = bits;
    return {
      encoding: 'RLE_DICTIONARY',
      bytes: this.#out.subarray(0, writeHybrid(indexes, length, bits, this.#out, 1)),
      dictionary: { values: distinct, bytes: bytesOf(found).subarray(0, 8 * distinct) },
    };
  }

  /** `undefined` for values and steps that are beyond those of times within a day. */
  #deltas(values: BigInt64Array): Page | undefined {
    const { length } = values;
    const out = this.#out;
    const words = new Int32Array(values.buffer, values.byteOffset, 2 * length);
    const steps = new Float64Array(BLOCK_VALUES);
    const packed = new Int32Array(MINIBLOCK_VALUES);
    let previous = words[1]! * HIGH + (words[0]! >>> 0);
    if (Math.abs(previous) > TIME_MAX) return undefined;
    let at = writeVarint(out, 0, BLOCK_VALUES);
    at = writeVarint(out, at, MINIBLOCKS);
    at = writeVarint(out, at, length);
    at = writeVarint(out, at, zigzag(previous));
    for (let index = 1; index < length; index += BLOCK_VALUES) {
      const size = Math.min(BLOCK_VALUES, length - index);
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < size; i += 1) {
        const word = 2 * (index + i);
        const value = words[word + 1]! * HIGH + (words[word]! >>> 0);
        if (Math.abs(value) > TIME_MAX) return undefined;
        const step = value - previous;
        steps[i] = step;
        if (step < least) least = step;
        previous = value;
      }
      at = writeVarint(out, at, zigzag(least));
      const widthsAt = at;
      at += MINIBLOCKS;
      for (let block = 0; block < MINIBLOCKS; block += 1) {
        let all = 0;
        for (let i = 0; i < MINIBLOCK_VALUES; i += 1) {
          const nth = block * MINIBLOCK_VALUES + i;
          const above = nth < size ? steps[nth]! - least : 0;
          if (above >= 2 ** PACKED_BITS_MAX) return undefined;
          packed[i] = above;
          all |= above;
        }
        const bits = 32 - Math.clz32(all);
        out[widthsAt + block] = bits;
        at = packBits({ values: packed, from: 0, to: MINIBLOCK_VALUES }, MINIBLOCK_VALUES, bits, out, at);
      }
    }
    return { encoding: 'DELTA_BINARY_PACKED', bytes: out.subarray(0, at) };
  }

  #append(
    writer: ByteWriter,
    { name, type }: ParquetColumn,
    length: number,
    { encoding, bytes, dictionary }: Page,
  ): ColumnChunk {
    const start = writer.offset;
    if (dictionary) {
      const packed = this.#compress(dictionary.bytes);
      writePageHeader(writer, {
        type: 'DICTIONARY_PAGE',
        uncompressed_page_size: dictionary.bytes.length,
        compressed_page_size: packed.length,
        dictionary_page_header: { num_values: dictionary.values, encoding: 'PLAIN' },
      });
      writer.appendBytes(packed);
    }
    const dataStart = writer.offset;
    const packed = this.#compress(bytes);
    writePageHeader(writer, {
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: bytes.length,
      compressed_page_size: packed.length,
      data_page_header_v2: {
        num_values: length,
        num_nulls: 0,
        num_rows: length,
        encoding,
        definition_levels_byte_length: 0,
        repetition_levels_byte_length: 0,
        is_compressed: true,
      },
    });
    writer.appendBytes(packed);
    const size = BigInt(writer.offset - start);
    return {
      file_offset: BigInt(start),
      meta_data: {
        type: type === 'STRING' ? 'BYTE_ARRAY' : type,
        encodings: [encoding],
        path_in_schema: [name],
        codec: 'BROTLI',
        num_values: BigInt(length),
        total_compressed_size: size,
        total_uncompressed_size: size,
        data_page_offset: BigInt(dataStart),
        ...(dictionary && { dictionary_page_offset: BigInt(start) }),
      },
    };
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function plain(values: BigInt64Array | Float64Array): Page {
  return { encoding: 'PLAIN', bytes: bytesOf(values) };
}

/** A column with the same text in all rows. */
function oneText(values: DecodedArray): Page | undefined {
  const text: unknown = values[0];
  for (let i = 1; i < values.length; i += 1) if (values[i] !== text) return undefined;
  if (typeof text !== 'string') return undefined;
  const letters = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(letters.length);
  // No bits for each index, and one run of them.
  const bytes = new Uint8Array(6);
  const end = writeVarint(bytes, 1, 2 * values.length);
  return {
    encoding: 'RLE_DICTIONARY',
    bytes: bytes.subarray(0, end),
    dictionary: { values: 1, bytes: Buffer.concat([length, letters]) },
  };
}

/** Whether values from all over a column repeat. */
function mayRepeat(values: Float64Array): boolean {
  const samples = new Set<number>();
  for (let i = 0; i < SAMPLES; i += 1)
    samples.add(values[Math.floor((i * (values.length - 1)) / (SAMPLES - 1))]!);
  return samples.size / SAMPLES <= SAMPLES_DISTINCT_MAX;
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function writeVarint(out: Uint8Array, start: number, value: number): number {
  let at = start;
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) {
    out[at] = (left % 128) + 128;
    at += 1;
  }
  out[at] = left;
  return at + 1;
}

/** Runs of equal values, and groups of eight others packed. Returns where the bytes end. */
function writeHybrid(
  values: Int32Array | Uint8Array,
  length: number,
  bits: number,
  out: Uint8Array,
  start: number,
): number {
  let at = start;
  let from = 0;
  const writePacked = (to: number): void => {
    if (to === from) return;
    at = writeVarint(out, at, ((to - from) >> 3) * 2 + 1);
    at = packBits({ values, from, to: length }, to - from, bits, out, at);
  };
  for (let i = 0; i < length; ) {
    const value = values[i]!;
    let end = i + 1;
    while (end < length && values[end] === value) end += 1;
    if (end - i < RUN_MIN) {
      i += 8;
      continue;
    }
    writePacked(i);
    at = writeVarint(out, at, 2 * (end - i));
    for (let shift = 0; shift < bits; shift += 8) {
      out[at] = value >> shift;
      at += 1;
    }
    i = end;
    from = end;
  }
  // The last group is filled up with zeros.
  writePacked(from + Math.ceil((length - from) / 8) * 8);
  return at;
}

/** Writes `count` values with as many bits each, the lowest first; those from `to` on are zeros. */
function packBits(
  {
    values,
    from,
    to,
  }: { readonly values: Int32Array | Uint8Array; readonly from: number; readonly to: number },
  count: number,
  bits: number,
  out: Uint8Array,
  start: number,
): number {
  if (bits === 0) return start;
  let at = start;
  let waiting = 0;
  let used = 0;
  for (let i = from; i < from + count; i += 1) {
    if (i < to) waiting |= values[i]! << used;
    used += bits;
    for (; used >= 8; used -= 8) {
      out[at] = waiting;
      waiting >>>= 8;
      at += 1;
    }
  }
  return at;
}
