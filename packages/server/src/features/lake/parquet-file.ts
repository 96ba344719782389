import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import type { DecodedArray, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

/** Near the best size at a tenth of its cost; every common reader has Brotli. */
const BROTLI_QUALITY = 4;

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
}

/** Writes a file group by group, with memory for one of them. The same rows give the same bytes. */
export async function writeParquet(
  path: string,
  { columns, metadata }: ParquetOptions,
  groups: AsyncIterable<RowGroup> | Iterable<RowGroup>,
): Promise<WrittenParquet> {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    codec: 'BROTLI',
    compressors: { BROTLI: compress },
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  });
  const sha256 = createHash('sha256');
  const md5 = createHash('md5');
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
      await writer.write({ columnData, rowGroupSize: length });
      rows += length;
      await flush();
    }
    await writer.finish();
    await flush();
    await file.sync();
  } finally {
    await file.close();
  }
  return { rows, bytes: size, sha256: sha256.digest('hex'), md5: md5.digest('hex') };
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
