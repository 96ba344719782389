import { signedBytes } from '@crosstape/core';
import { FlatBuffer, type Offset, type TableField } from './flat-buffer.ts';

/** Media type of an Arrow stream. */
export const ARROW_TYPE = 'application/vnd.apache.arrow.stream';

/** `label` is one text for all rows, stored once as a dictionary. */
export type ArrowKind = 'int64' | 'float64' | 'bool' | 'utf8' | 'label';

export interface ArrowField {
  readonly name: string;
  readonly kind: ArrowKind;
  /** The text of a `label`. */
  readonly text?: string;
  readonly isNullable?: boolean;
}

/** The values of a column, in the order of the fields; a label needs none. */
export type ArrowColumn =
  | {
      readonly numbers: Float64Array;
      /** What every number of a `float64` is divided by; default: 1. */
      readonly scale?: number;
      /** 1 where there is a value, else 0; absent: everywhere. */
      readonly valid?: Uint8Array;
    }
  | {
      /** 0 or 1. */
      readonly flags: Uint8Array;
      /** Whether 0 is written as true, and 1 as false. */
      readonly isNegated?: boolean;
      readonly valid?: Uint8Array;
    }
  | { readonly texts: readonly string[] }
  | undefined;

const VERSION_5 = 4;
const HEADER = { schema: 1, dictionary: 2, batch: 3 } as const;
const TYPE_CODE: Readonly<Record<ArrowKind, number>> = { int64: 2, float64: 3, utf8: 5, label: 5, bool: 6 };
const DOUBLE = 2;
const CONTINUATION = 0xffffffff;
/** Before the metadata of each message: the continuation mark and their length. */
const PREFIX_BYTES = 8;

/** The end of a stream. */
export const arrowEnd: Uint8Array = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/** The beginning of a stream: its schema, and the texts of its labels. */
export function arrowStart(
  fields: readonly ArrowField[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const labels = fields.flatMap(({ kind, text = '' }, id) =>
    kind === 'label' ? [dictionaryOf(id, text)] : [],
  );
  return join([message(HEADER.schema, (buffer) => schemaOf(buffer, fields, metadata)), ...labels]);
}

/** Rows `from <= i < to` of columns as one record batch. Nothing is compressed: readers may be built without codecs. */
export function arrowBatch(
  fields: readonly ArrowField[],
  columns: readonly ArrowColumn[],
  from: number,
  to: number,
): Uint8Array {
  const rows = to - from;
  const parts = fields.map((field, i) => layOut(field, columns[i], from, rows));
  return message(
    HEADER.batch,
    (buffer) => batchOf(buffer, rows, parts),
    parts.flatMap(({ buffers }) => buffers),
  );
}

/** A buffer of a batch: its length, and what fills the bytes that it is given. */
interface Part {
  readonly bytes: number;
  fill(bytes: Uint8Array): void;
}

interface LaidOut {
  readonly nulls: number;
  readonly buffers: readonly Part[];
}

const noPart: Part = { bytes: 0, fill: () => undefined };

function layOut(field: ArrowField, column: ArrowColumn, from: number, rows: number): LaidOut {
  // All rows have the index 0.
  if (field.kind === 'label') return { nulls: 0, buffers: [noPart, { bytes: rows, fill: () => undefined }] };
  if (column === undefined) throw new Error(`column ${field.name} has no values`);
  if ('texts' in column) return { nulls: 0, buffers: textParts(column.texts.slice(from, from + rows)) };
  const { valid } = column;
  const nulls = valid ? rows - ones(signedBytes(valid), from, rows) : 0;
  const validity = valid && nulls > 0 ? bitPart(valid, from, rows, false) : noPart;
  return { nulls, buffers: [validity, valuePart(field, column, from, rows)] };
}

function valuePart(
  { name, kind }: ArrowField,
  column: Exclude<ArrowColumn, { readonly texts: unknown } | undefined>,
  from: number,
  rows: number,
): Part {
  if ('flags' in column && kind === 'bool')
    return bitPart(column.flags, from, rows, column.isNegated ?? false);
  if (!('numbers' in column) || kind === 'bool')
    throw new Error(`column ${name} of type ${kind} has values of another kind`);
  const { numbers, scale = 1 } = column;
  return {
    bytes: 8 * rows,
    fill({ buffer, byteOffset }) {
      if (kind === 'int64') writeWhole(numbers, from, new Int32Array(buffer, byteOffset, 2 * rows));
      else writeDivided(numbers, from, scale, new Float64Array(buffer, byteOffset, rows));
    },
  };
}

function bitPart(flags: Uint8Array, from: number, rows: number, isNegated: boolean): Part {
  return {
    bytes: Math.ceil(rows / 8),
    fill: (target) => writeBits(signedBytes(flags), from, rows, isNegated ? 1 : 0, signedBytes(target)),
  };
}

// The loops over rows are functions of their own, each for one kind of array: V8 then compiles them for it.

function ones(flags: Int8Array, from: number, rows: number): number {
  let sum = 0;
  for (let i = from; i < from + rows; i += 1) sum += flags[i]!;
  return sum;
}

function writeDivided(numbers: Float64Array, from: number, scale: number, target: Float64Array): void {
  const { length } = target;
  if (scale === 1) target.set(numbers.subarray(from, from + length));
  else for (let i = 0; i < length; i += 1) target[i] = numbers[from + i]! / scale;
}

const LOW = 2 ** 32;

/** Whole numbers between -2^53 and 2^53, without a BigInt for each. */
function writeWhole(numbers: Float64Array, from: number, target: Int32Array): void {
  const rows = target.length >> 1;
  // Times that follow each other mostly have the same upper half: it is divided for where it changes.
  let high = 0;
  let base = 0;
  for (let i = 0; i < rows; i += 1) {
    let low = numbers[from + i]! - base;
    if (low < 0 || low >= LOW) {
      high = Math.floor((low + base) / LOW);
      low += base - high * LOW;
      base = high * LOW;
    }
    target[2 * i] = low;
    target[2 * i + 1] = high;
  }
}

/** One bit for each flag; with `flip` 1, the opposite. */
function writeBits(flags: Int8Array, from: number, rows: number, flip: number, target: Int8Array): void {
  const whole = rows >> 3;
  const mask = flip === 1 ? 255 : 0;
  for (let byte = 0; byte < whole; byte += 1) {
    const at = from + 8 * byte;
    target[byte] =
      mask ^
      (flags[at]! |
        (flags[at + 1]! << 1) |
        (flags[at + 2]! << 2) |
        (flags[at + 3]! << 3) |
        (flags[at + 4]! << 4) |
        (flags[at + 5]! << 5) |
        (flags[at + 6]! << 6) |
        (flags[at + 7]! << 7));
  }
  let last = 0;
  for (let i = 8 * whole; i < rows; i += 1) last |= (flags[from + i]! ^ flip) << (i & 7);
  if (rows > 8 * whole) target[whole] = last;
}

/** Offsets, then the texts themselves. */
function textParts(texts: readonly string[]): readonly Part[] {
  const encoded = texts.map((text) => new TextEncoder().encode(text));
  const total = encoded.reduce((sum, { length }) => sum + length, 0);
  return [
    noPart,
    {
      bytes: 4 * (texts.length + 1),
      fill({ buffer, byteOffset }) {
        const ends = new Int32Array(buffer, byteOffset, texts.length + 1);
        for (const [i, { length }] of encoded.entries()) ends[i + 1] = ends[i]! + length;
      },
    },
    { bytes: total, fill: (target) => target.set(join(encoded)) },
  ];
}

function schemaOf(
  buffer: FlatBuffer,
  fields: readonly ArrowField[],
  metadata: Readonly<Record<string, string>>,
): Offset {
  const own = buffer.offsets(fields.map((field, id) => fieldOf(buffer, field, id)));
  const pairs = Object.entries(metadata).map(([key, value]) => {
    const [keyAt, valueAt] = [buffer.text(key), buffer.text(value)];
    return buffer.table([offset(0, keyAt), offset(1, valueAt)]);
  });
  return buffer.table([offset(1, own), offset(2, buffer.offsets(pairs))]);
}

function fieldOf(buffer: FlatBuffer, { name, kind, isNullable = false }: ArrowField, id: number): Offset {
  const text = buffer.text(name);
  const type = typeOf(buffer, kind);
  const children = buffer.offsets([]);
  const dictionary = kind === 'label' ? [offset(4, encodingOf(buffer, id))] : [];
  return buffer.table([
    offset(0, text),
    number(1, 1, isNullable ? 1 : 0),
    number(2, 1, TYPE_CODE[kind]),
    offset(3, type),
    offset(5, children),
    ...dictionary,
  ]);
}

function typeOf(buffer: FlatBuffer, kind: ArrowKind): Offset {
  if (kind === 'int64') return buffer.table([number(0, 4, 64), number(1, 1, 1)]);
  return buffer.table(kind === 'float64' ? [number(0, 2, DOUBLE)] : []);
}

/** A dictionary whose indices are one byte each. */
function encodingOf(buffer: FlatBuffer, id: number): Offset {
  const index = buffer.table([number(0, 4, 8), number(1, 1, 1)]);
  return buffer.table([number(0, 8, id), offset(1, index)]);
}

function dictionaryOf(id: number, text: string): Uint8Array {
  const laidOut = { nulls: 0, buffers: textParts([text]) };
  return message(
    HEADER.dictionary,
    (buffer) => buffer.table([number(0, 8, id), offset(1, batchOf(buffer, 1, [laidOut]))]),
    laidOut.buffers,
  );
}

function batchOf(buffer: FlatBuffer, rows: number, parts: readonly LaidOut[]): Offset {
  let at = 0;
  const places = parts.flatMap(({ buffers }) =>
    buffers.map(({ bytes }): [number, number] => {
      const place: [number, number] = [at, bytes];
      at += padded(bytes);
      return place;
    }),
  );
  const [nodes, buffers] = [buffer.pairs(parts.map(({ nulls }) => [rows, nulls])), buffer.pairs(places)];
  return buffer.table([number(0, 8, rows), offset(1, nodes), offset(2, buffers)]);
}

function message(
  header: number,
  write: (buffer: FlatBuffer) => Offset,
  body: readonly Part[] = [],
): Uint8Array {
  const bodyBytes = body.reduce((sum, { bytes }) => sum + padded(bytes), 0);
  const buffer = new FlatBuffer();
  const at = write(buffer);
  const metadata = buffer.finish(
    buffer.table([number(0, 2, VERSION_5), number(1, 1, header), offset(2, at), number(3, 8, bodyBytes)]),
  );
  const bytes = new Uint8Array(PREFIX_BYTES + metadata.length + bodyBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setInt32(4, metadata.length, true);
  bytes.set(metadata, PREFIX_BYTES);
  let next = PREFIX_BYTES + metadata.length;
  for (const part of body) {
    part.fill(bytes.subarray(next, next + part.bytes));
    next += padded(part.bytes);
  }
  return bytes;
}

function padded(bytes: number): number {
  return 8 * Math.ceil(bytes / 8);
}

function offset(slot: number, value: Offset): TableField {
  return { slot, bytes: 4, value, isOffset: true };
}

function number(slot: number, bytes: 1 | 2 | 4 | 8, value: number): TableField {
  return { slot, bytes, value };
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
