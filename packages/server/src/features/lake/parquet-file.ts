import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import type { ColumnChunk, DecodedArray, SchemaElement, Statistics } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writeColumn } from 'hyparquet-writer/src/column.js';
import { ColumnEncoder } from './encode-columns.ts';
import { ColumnChecksums, readBack } from './read-back.ts';

/** Near the best size (one percent more than 4, at half its cost); every common reader has Brotli. */
const BROTLI_QUALITY = 3;
const LOW = 2 ** 32;

export interface ParquetColumn {
  readonly name: string;
  readonly type: 'INT64' | 'DOUBLE' | 'BOOLEAN' | 'STRING';
  readonly isNullable?: boolean;
  /** Default: a dictionary for repeated values, else plain. */
  readonly encoding?: 'PLAIN' | 'DELTA_BINARY_PACKED';
}

/**
 * Rows written together, by column in the order of the columns. Flags may be a `Uint8Array` of 0 and 1. Arrays may be
 * overwritten afterwards.
 */
export type RowGroup = readonly DecodedArray[];

export interface WrittenParquet {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** S3 clients verify it. */
  readonly md5: string;
}

export interface ParquetOptions {
  readonly columns: readonly ParquetColumn[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Whether the file is read back afterwards: it then has the rows and numbers that were written, or this rejects. */
  readonly isProven?: boolean | undefined;
}

/** Writes a file group by group, with memory for one of them. The same rows give the same bytes. */
export async function writeParquet(
  path: string,
  { columns, metadata, isProven = false }: ParquetOptions,
  groups: AsyncIterable<RowGroup> | Iterable<RowGroup>,
): Promise<WrittenParquet> {
  const bytes = new ByteWriter();
  const schema = schemaOf(columns);
  const encoder = new ColumnEncoder(compress);
  const writer = new ParquetWriter({
    writer: bytes,
    schema,
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  });
  const sha256 = createHash('sha256');
  const md5 = createHash('md5');
  const checksums = isProven ? new ColumnChecksums() : undefined;
  const file = await open(path, 'w');
  let rows = 0;
  let size = 0;
  const flush = async (): Promise<void> => {
    const part = bytes.getBytes();
    sha256.update(part);
    md5.update(part);
    size += part.length;
    await file.writeFile(part);
    bytes.index = 0;
  };
  try {
    for await (const group of groups) {
      const length = group[0]?.length ?? 0;
      const start = bytes.offset;
      const chunks = columns.map((column, i): ColumnChunk => {
        const values = group[i]!;
        if (values.length !== length)
          throw new Error(`${column.name} has ${values.length} values in a group of ${length} rows`);
        checksums?.add(column.name, values);
        const chunk =
          encoder.write(bytes, column, values) ??
          writeOther(bytes, [schema[0]!, schema[i + 1]!], column, values);
        return { ...chunk, meta_data: { ...chunk.meta_data!, ...statisticsOf(values) } };
      });
      writer.row_groups.push({
        columns: chunks,
        total_byte_size: BigInt(bytes.offset - start),
        num_rows: BigInt(length),
      });
      writer.num_rows += BigInt(length);
      rows += length;
      await flush();
    }
    await writer.finish();
    await flush();
    await file.sync();
  } finally {
    await file.close();
  }
  if (checksums) await readBack(path, rows, checksums.byColumn);
  return { rows, bytes: size, sha256: sha256.digest('hex'), md5: md5.digest('hex') };
}

/** Columns that `ColumnEncoder` leaves to the library. */
function writeOther(
  writer: ByteWriter,
  schemaPath: [SchemaElement, SchemaElement],
  { name, type, isNullable = false, encoding }: ParquetColumn,
  data: DecodedArray,
): ColumnChunk {
  const values = type === 'BOOLEAN' && data instanceof Uint8Array ? Array.from(data, Boolean) : data;
  const definitionLevels: number[] = [];
  if (isNullable)
    for (let i = 0; i < values.length; i += 1) definitionLevels.push((values[i] ?? null) === null ? 0 : 1);
  const { chunk } = writeColumn({
    writer,
    column: {
      columnName: name,
      element: schemaPath[1],
      schemaPath,
      codec: 'BROTLI',
      compressors: { BROTLI: compress },
      // The library compares value by value, which costs as much as encoding them.
      stats: false,
      // A group is one page: without a size the library does not add up that of every value.
      pageSize: 0,
      columnIndex: false,
      offsetIndex: false,
      ...(encoding && { encoding }),
    },
    pageData: {
      values,
      definitionLevels,
      repetitionLevels: [],
      maxDefinitionLevel: isNullable ? 1 : 0,
    },
  });
  return chunk;
}

/** Lets readers skip groups by their least and greatest numbers. */
function statisticsOf(values: DecodedArray): { readonly statistics?: Statistics } {
  if (values instanceof BigInt64Array) return { statistics: wholeRangeOf(values) };
  return values instanceof Float64Array ? { statistics: rangeOf(values) } : {};
}

function rangeOf(values: Float64Array): Statistics {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min_value: min, max_value: max, null_count: 0n };
}

/** Whole numbers between -2^53 and 2^53, without a BigInt for each. */
function wholeRangeOf(values: BigInt64Array): Statistics {
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < words.length; i += 2) {
    const value = words[i + 1]! * LOW + (words[i]! >>> 0);
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min_value: BigInt(min), max_value: BigInt(max), null_count: 0n };
}

function compress(input: Uint8Array): Uint8Array {
  return brotliCompressSync(input, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: input.length,
    },
  });
}

function schemaOf(columns: readonly ParquetColumn[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.map(
      ({ name, type, isNullable = false }): SchemaElement => ({
        name,
        type: type === 'STRING' ? 'BYTE_ARRAY' : type,
        ...(type === 'STRING' && { converted_type: 'UTF8' }),
        repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED',
      }),
    ),
  ];
}
