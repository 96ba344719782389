import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet';
import type { ExportFormat } from './tick-file.ts';

/** The columns of freqtrade's `PAIR-trades.parquet`, in order. */
const schema: SchemaElement[] = [
  { name: 'root', num_children: 7 },
  { name: 'timestamp', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  { name: 'type', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  { name: 'side', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  { name: 'price', type: 'DOUBLE', repetition_type: 'REQUIRED' },
  { name: 'amount', type: 'DOUBLE', repetition_type: 'REQUIRED' },
  { name: 'cost', type: 'DOUBLE', repetition_type: 'REQUIRED' },
];
const GROUP_ROWS = 100_000;

/** Trades for freqtrade's order flow: one row group per chunk. */
export const freqtradeTicks: ExportFormat = {
  name: 'freqtrade',
  isText: false,
  print(sink) {
    const bytes = new ByteWriter();
    const writer = new ParquetWriter({ writer: bytes, schema });
    const flush = async (): Promise<void> => {
      await sink.write(bytes.getBytes().slice());
      bytes.index = 0;
    };
    return {
      async add({ columns, ids }, from, to) {
        if (to <= from) return;
        const rows = Array.from({ length: to - from }, (_, i) => from + i);
        const price = rows.map((i) => (columns.price[i] as number) / 10 ** columns.priceDecimals);
        const amount = rows.map((i) => (columns.size[i] as number) / 10 ** columns.sizeDecimals);
        const columnData = [
          { name: 'timestamp', data: rows.map((i) => BigInt(columns.ts[i] as number)) },
          { name: 'id', data: rows.map((i) => String(ids.tid[i])) },
          { name: 'type', data: rows.map(() => '') },
          { name: 'side', data: rows.map((i) => (columns.isBuy[i] === 1 ? 'buy' : 'sell')) },
          { name: 'price', data: price },
          { name: 'amount', data: amount },
          { name: 'cost', data: price.map((value, i) => value * (amount[i] as number)) },
        ];
        await writer.write({ columnData, rowGroupSize: GROUP_ROWS });
        await flush();
      },
      async finish() {
        await writer.finish();
        await flush();
      },
    };
  },
};
