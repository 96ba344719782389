import { brotliDecompressSync, crc32 } from 'node:zlib';
import { asyncBufferFromFile, type DecodedArray, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { throwIfGivenUp } from '../../platform/thread-tasks.ts';

/** Checksums of the values of columns, however they are split. Only columns of numbers and flags have one. */
export class ColumnChecksums {
  readonly #byColumn = new Map<string, number>();

  add(column: string, values: DecodedArray): void {
    if (!ArrayBuffer.isView(values)) return;
    this.#byColumn.set(column, crc32(values, this.#byColumn.get(column)));
  }

  get byColumn(): ReadonlyMap<string, number> {
    return this.#byColumn;
  }
}

/** Reads a Parquet file group by group. Rejects unless it has these rows, and these values in its columns of numbers and flags. */
export async function readBack(
  path: string,
  rows: number,
  expected: ReadonlyMap<string, number>,
): Promise<void> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  if (Number(metadata.num_rows) !== rows)
    throw new Error(`${path} has ${metadata.num_rows} rows, but ${rows} were written`);
  const found = new ColumnChecksums();
  let rowStart = 0;
  for (const { num_rows: length } of metadata.row_groups) {
    throwIfGivenUp();
    const rowEnd = rowStart + Number(length);
    await parquetRead({
      file,
      metadata,
      columns: [...expected.keys()],
      rowStart,
      rowEnd,
      compressors: { BROTLI: (bytes) => brotliDecompressSync(bytes) },
      onChunk: ({ columnName, columnData }) => found.add(columnName, typed(columnData)),
    });
    rowStart = rowEnd;
  }
  for (const [column, checksum] of expected)
    if (found.byColumn.get(column) !== checksum)
      throw new Error(`${path} does not read back: column ${column} differs`);
}

/** The reader returns flags, and values of a dictionary, as a plain array. */
function typed(values: DecodedArray): DecodedArray {
  if (ArrayBuffer.isView(values)) return values;
  if (typeof values[0] === 'boolean') {
    const flags = new Uint8Array(values.length);
    for (let i = 0; i < flags.length; i += 1) if (values[i] === true) flags[i] = 1;
    return flags;
  }
  return typeof values[0] === 'bigint' ? new BigInt64Array(values) : new Float64Array(values);
}
