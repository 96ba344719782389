import { FlatBuffer, type Offset, type TableField } from './flat-buffer.ts';

/** The media type of what this file writes. */
export const ARROW_TYPE = 'application/vnd.apache.arrow.stream';

/** `label` is one text for all rows, stored once as a dictionary. */
export type ArrowKind = 'int64' | 'float64' | 'bool' | 'utf8' | 'label';

export interface ArrowField {
  readonly name: string;
  readonly kind: ArrowKind;
  /** Of a `label`: the text. */
  readonly text?: string;
  readonly isNullable?: boolean;
}

/** The values of a column, in the order of the fields; a label needs none. */
export type ArrowColumn =
  | {
      readonly values: ArrayLike<number>;
      /** What every value is divided by; default: 1. */
      readonly scale?: number;
      /** 1 where there is a value; absent: everywhere. */
      readonly valid?: ArrayLike<number>;
      /** Of `bool`: whether 0 is written as true, and anything else as false. */
      readonly isNegated?: boolean;
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

/** What ends a stream. */
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
  const { values, scale = 1, valid, isNegated = false } = column;
  let nulls = 0;
  if (valid) for (let i = from; i < from + rows; i += 1) if (valid[i] === 0) nulls += 1;
  const validity = valid && nulls > 0 ? bitPart(valid, from, rows) : noPart;
  const own: Record<'int64' | 'float64' | 'bool', () => Part> = {
    int64: () => integerPart(values, from, rows),
    float64: () => floatPart(values, scale, from, rows),
    bool: () => bitPart(values, from, rows, isNegated),
  };
  return { nulls, buffers: [validity, own[field.kind as keyof typeof own]()] };
}

function floatPart(values: ArrayLike<number>, scale: number, from: number, rows: number): Part {
  return {
    bytes: 8 * rows,
    fill({ buffer, byteOffset }) {
      const target = new Float64Array(buffer, byteOffset, rows);
      if (scale === 1) for (let i = 0; i < rows; i += 1) target[i] = values[from + i]!;
      else for (let i = 0; i < rows; i += 1) target[i] = values[from + i]! / scale;
    },
  };
}

const LOW = 2 ** 32;

/** Whole numbers between -2^53 and 2^53, without a BigInt for each. */
function integerPart(values: ArrayLike<number>, from: number, rows: number): Part {
  return {
    bytes: 8 * rows,
    fill({ buffer, byteOffset }) {
      const target = new Int32Array(buffer, byteOffset, 2 * rows);
      // Times that follow each other mostly have the same upper half: it is divided for where it changes.
      let high = 0;
      let base = 0;
      for (let i = 0; i < rows; i += 1) {
        let low = values[from + i]! - base;
        if (low < 0 || low >= LOW) {
          high = Math.floor((low + base) / LOW);
          low += base - high * LOW;
          base = high * LOW;
        }
        target[2 * i] = low;
        target[2 * i + 1] = high;
      }
    },
  };
}

/** One bit for each value that is not 0; with `isNegated`, for each that is. */
function bitPart(values: ArrayLike<number>, from: number, rows: number, isNegated = false): Part {
  return {
    bytes: Math.ceil(rows / 8),
    fill(target) {
      const mask = isNegated ? 255 : 0;
      const whole = rows >> 3;
      for (let byte = 0, at = from; byte < whole; byte += 1, at += 8)
        target[byte] =
          mask ^
          ((values[at] === 0 ? 0 : 1) |
            (values[at + 1] === 0 ? 0 : 2) |
            (values[at + 2] === 0 ? 0 : 4) |
            (values[at + 3] === 0 ? 0 : 8) |
            (values[at + 4] === 0 ? 0 : 16) |
            (values[at + 5] === 0 ? 0 : 32) |
            (values[at + 6] === 0 ? 0 : 64) |
            (values[at + 7] === 0 ? 0 : 128));
      for (let i = 8 * whole; i < rows; i += 1)
        if ((values[from + i] !== 0) !== isNegated) target[i >> 3]! |= 1 << (i & 7);
    },
  };
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
