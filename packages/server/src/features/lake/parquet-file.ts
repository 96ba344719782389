import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import type { DecodedArray, RowGroup as WrittenGroup, SchemaElement, Statistics } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { ColumnChecksums, readBack } from './read-back.ts';

/** Near the best size (one percent more than 4, at half its cost); every common reader has Brotli. */
const BROTLI_QUALITY = 3;
const LOW = 2 ** 32;

export interface ParquetColumn {
  readonly name: string;
  readonly type: 'INT64' | 'DOUBLE' | 'BOOLEAN' | 'STRING';
  readonly isNullable?: boolean;
  /** Default: a dictionary where values repeat, else plain. */
  readonly encoding?: 'PLAIN' | 'DELTA_BINARY_PACKED';
}

/** Rows written together, by column in the order of the columns. Arrays may be overwritten afterwards. */
export type RowGroup = readonly DecodedArray[];

export interface WrittenParquet {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** S3 clients compare it with what they received. */
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
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    codec: 'BROTLI',
    compressors: { BROTLI: compress },
    // Counted below for numbers: the library compares value by value, which costs as much as encoding them.
    statistics: false,
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
      const columnData = columns.map(({ name, encoding }, i) => ({
        name,
        data: group[i] as DecodedArray,
        ...(encoding && { encoding }),
      }));
      // A group is one page: without a size the library does not add up that of every value.
      await writer.write({ columnData, rowGroupSize: length, pageSize: 0 });
      setStatistics(writer.row_groups.at(-1), group);
      for (const { name, data } of columnData) checksums?.add(name, data);
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

/** Lets readers skip groups by their least and greatest numbers. */
function setStatistics(written: WrittenGroup | undefined, group: RowGroup): void {
  for (const [i, { meta_data: column }] of (written?.columns ?? []).entries()) {
    const values = group[i];
    if (column && values instanceof BigInt64Array) column.statistics = wholeRangeOf(values);
    if (column && values instanceof Float64Array) column.statistics = rangeOf(values);
  }
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
