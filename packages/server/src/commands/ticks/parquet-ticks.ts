import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, type SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Ticks } from '../../features/tape/tick-table.ts';
import type { Sink } from './sink.ts';
import { type FileRow, findColumns, type TickFormat, type TickPrinter, tickColumns } from './tick-file.ts';

/** Rows per group, which reader and writer hold in memory; independent of chunks. */
const GROUP_ROWS = 65_536;
/** Rows converted to objects at a time. A group is unpacked again for each batch, so most groups are one batch. */
const BATCH_ROWS = 131_072;

const schema: SchemaElement[] = [
  { name: 'root', num_children: 7 },
  { name: 'ts', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'price', type: 'DOUBLE', repetition_type: 'REQUIRED' },
  { name: 'size', type: 'DOUBLE', repetition_type: 'REQUIRED' },
  { name: 'side', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  { name: 'tid', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'venueTs', type: 'INT64', repetition_type: 'OPTIONAL' },
  { name: 'sameOrder', type: 'BOOLEAN', repetition_type: 'REQUIRED' },
];

interface Group {
  readonly ts: bigint[];
  readonly price: number[];
  readonly size: number[];
  readonly side: string[];
  readonly tid: bigint[];
  readonly venueTs: (bigint | null)[];
  readonly sameOrder: boolean[];
}

/** Times and ids as integers, prices and sizes as floats that print the venue's decimals; Snappy. */
export const parquetTicks: TickFormat = {
  name: 'parquet',
  place: 'row',
  isText: false,
  print: (sink) => new ParquetPrinter(sink),

  async *read(path, onBytes) {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file).catch((error: unknown) => {
      throw new Error(`${path} is not a Parquet file: ${(error as Error).message}`);
    });
    findColumns(
      metadata.schema.slice(1).map(({ name }) => name),
      path,
    );
    const rows = Number(metadata.num_rows);
    let groupStart = 0;
    for (const { num_rows: groupRows } of metadata.row_groups) {
      const groupEnd = groupStart + Number(groupRows);
      // A batch must not cross into the next group, or both would be unpacked.
      for (let start = groupStart; start < groupEnd; start += BATCH_ROWS) {
        const end = Math.min(start + BATCH_ROWS, groupEnd);
        const read = await parquetReadObjects({ file, metadata, rowStart: start, rowEnd: end });
        yield read.map(
          (row, i): FileRow => ({ place: start + i + 1, cells: tickColumns.map((name) => row[name]) }),
        );
        onBytes((file.byteLength * end) / rows);
      }
      groupStart = groupEnd;
    }
  },
};

class ParquetPrinter implements TickPrinter {
  readonly #sink: Sink;
  readonly #bytes = new ByteWriter();
  readonly #writer = new ParquetWriter({ writer: this.#bytes, schema });
  #group = emptyGroup();

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  async add({ columns, ids }: Ticks, from: number, to: number): Promise<void> {
    const priceScale = 10 ** columns.priceDecimals;
    const sizeScale = 10 ** columns.sizeDecimals;
    for (let i = from; i < to; i += 1) {
      const group = this.#group;
      const ts = columns.ts[i] as number;
      const lateMs = ids.lateMs[i] as number;
      group.ts.push(BigInt(ts));
      // Rounded once, so that each prints its exact decimal.
      group.price.push((columns.price[i] as number) / priceScale);
      group.size.push((columns.size[i] as number) / sizeScale);
      group.side.push(columns.isBuy[i] === 1 ? 'buy' : 'sell');
      group.tid.push(BigInt(ids.tid[i] as number));
      group.venueTs.push(lateMs === 0 ? null : BigInt(ts - lateMs));
      group.sameOrder.push(columns.sameOrder[i] === 1);
      if (group.ts.length === GROUP_ROWS) await this.#writeGroup();
    }
  }

  async finish(): Promise<void> {
    if (this.#group.ts.length > 0) await this.#writeGroup();
    await this.#writer.finish();
    await this.#flush();
  }

  async #writeGroup(): Promise<void> {
    const columnData = Object.entries(this.#group).map(([name, data]) => ({
      name,
      data,
    }));
    await this.#writer.write({ columnData, rowGroupSize: GROUP_ROWS });
    this.#group = emptyGroup();
    await this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#sink.write(this.#bytes.getBytes().slice());
    this.#bytes.index = 0;
  }
}

function emptyGroup(): Group {
  return { ts: [], price: [], size: [], side: [], tid: [], venueTs: [], sameOrder: [] };
}
