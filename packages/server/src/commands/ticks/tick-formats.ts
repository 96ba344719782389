import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet';
import { gzipLines, tradeLines, TRADES_HEAD } from '../../features/datasets/tardis-csv.ts';
import { arrowTradeColumns, arrowTradeFields } from '../../features/tape/arrow-trades.ts';
import { arrowBatch, arrowEnd, arrowStart } from '../../platform/arrow/arrow-stream.ts';
import { UsageError } from '../../settings/read-settings.ts';
import { venueOf } from '../../store/market-key.ts';
import { csvTicks } from './csv-ticks.ts';
import { ndjsonTicks } from './ndjson-ticks.ts';
import { parquetTicks } from './parquet-ticks.ts';
import type { ExportFormat, TickFormat } from './tick-file.ts';

/** An Arrow IPC stream with the columns of `format=arrow`. */
const arrowTicks: ExportFormat = {
  name: 'arrow',
  isText: false,
  print(sink, { id: market, coin }) {
    const fields = arrowTradeFields('history', market);
    const start = sink.write(arrowStart(fields, { market, coin }));
    return {
      async add(ticks, from, to) {
        await start;
        if (to > from) await sink.write(arrowBatch(fields, arrowTradeColumns('history', ticks), from, to));
      },
      async finish() {
        await start;
        await sink.write(arrowEnd);
      },
    };
  },
};

/** The columns of freqtrade's `PAIR-trades.parquet`, in order. */
const freqtradeSchema: SchemaElement[] = [
  { name: 'root', num_children: 7 },
  { name: 'timestamp', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  { name: 'type', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  { name: 'side', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  { name: 'price', type: 'DOUBLE', repetition_type: 'REQUIRED' },
  { name: 'amount', type: 'DOUBLE', repetition_type: 'REQUIRED' },
  { name: 'cost', type: 'DOUBLE', repetition_type: 'REQUIRED' },
];
const FREQTRADE_GROUP_ROWS = 100_000;

/** Trades for freqtrade's order flow: one row group per chunk. */
const freqtradeTicks: ExportFormat = {
  name: 'freqtrade',
  isText: false,
  print(sink) {
    const bytes = new ByteWriter();
    const writer = new ParquetWriter({ writer: bytes, schema: freqtradeSchema });
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
        await writer.write({ columnData, rowGroupSize: FREQTRADE_GROUP_ROWS });
        await flush();
      },
      async finish() {
        await writer.finish();
        await flush();
      },
    };
  },
};

/** Gzipped CSV in the format of Tardis' trade files: microseconds, one gzip member per chunk. */
const tardisTicks: ExportFormat = {
  name: 'tardis',
  isText: false,
  print(sink, { id, symbol }) {
    const exchange = venueOf(id);
    let head = TRADES_HEAD;
    const write = async (lines: string): Promise<void> => {
      if (head + lines !== '') await sink.write(gzipLines(head + lines));
      head = '';
    };
    return {
      add: (ticks, from, to) => write(tradeLines({ exchange, symbol }, ticks, from, to)),
      finish: () => write(''),
    };
  },
};

const tickFormats: readonly TickFormat[] = [csvTicks, ndjsonTicks, parquetTicks];

const exportFormats: readonly ExportFormat[] = [...tickFormats, arrowTicks, freqtradeTicks, tardisTicks];

/** The format of an export; imports have fewer formats. */
export function chooseExport(flag: string | undefined, path: string | undefined): ExportFormat {
  const wanted =
    flag ?? (path?.endsWith('.csv.gz') ? 'tardis' : path?.endsWith('.arrow') ? 'arrow' : undefined);
  if (wanted === undefined) return chooseFormat(undefined, path);
  const format = exportFormats.find(({ name }) => name === wanted);
  if (format) return format;
  const names = exportFormats.map(({ name }) => name).join(', ');
  throw new UsageError(`--format must be one of ${names}, not "${flag}"`);
}

/** The format named by a flag, else by the file's extension; default: CSV. */
export function chooseFormat(flag: string | undefined, path: string | undefined): TickFormat {
  const end = path?.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const wanted = flag ?? (end === 'jsonl' ? 'ndjson' : end);
  const format = tickFormats.find(({ name }) => name === wanted);
  if (format) return format;
  if (flag === undefined) return csvTicks;
  const names = tickFormats.map(({ name }) => name).join(', ');
  throw new UsageError(`--format must be one of ${names}, not "${flag}"`);
}
