import type { Task } from '../../platform/jobs.ts';
import type { Store } from '../../store/store.ts';
import { candleColumns, type CandleRange, type FileRows, readCandles } from './candle-file.ts';
import { liquidationColumns, type LiquidationRange, readLiquidations } from './liquidation-file.ts';
import { type ParquetColumn, writeParquet, type WrittenParquet } from './parquet-file.ts';
import { readRepaired, repairedColumns, type RepairedRange } from './repaired-file.ts';
import { readSamples, sampleColumns, type SampleRange } from './sample-file.ts';
import { tradeColumns, tradeGroups, type TradeRange } from './trade-file.ts';

/** An interval of a market's tape that is not complete: half open, in ms. */
export interface GapRow {
  readonly from: number;
  readonly to: number;
  readonly state: string;
  readonly reason?: string | undefined;
  readonly expectedTrades?: number | undefined;
  readonly recordedTrades?: number | undefined;
}

/** A file to be made, as plain data. */
export interface FileOrder {
  /** Where the bytes go. */
  readonly path: string;
  /** Location of the store. */
  readonly place: string;
  /** Key-value metadata of the file. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Whether the file is read back and compared. */
  readonly isProven?: boolean;
  readonly source:
    | ({ readonly table: 'trades' } & TradeRange)
    | ({ readonly table: 'repaired_trades' } & RepairedRange)
    | ({ readonly table: 'candles_1m' } & CandleRange)
    | LiquidationRange
    | { readonly table: 'gaps'; readonly rows: readonly GapRow[] }
    | SampleRange;
}

export interface MadeFile extends WrittenParquet {
  /** Absent without rows. */
  readonly minTs?: number;
  readonly maxTs?: number;
  /** For sampled tables: whether no sample is missing. */
  readonly isComplete?: boolean;
}

/** Makes a file on a worker; `worker.ts` exports the function. `undefined`: there is nothing to write. */
export const makeLakeFileTask: Task<FileOrder, MadeFile | undefined> = { name: 'makeLakeFile' };

export type WithStore = <Result>(place: string, read: (store: Store) => Promise<Result>) => Promise<Result>;

const gapColumns: readonly ParquetColumn[] = [
  { name: 'from', type: 'INT64' },
  { name: 'to', type: 'INT64' },
  { name: 'state', type: 'STRING' },
  { name: 'reason', type: 'STRING', isNullable: true },
  { name: 'expected', type: 'INT64', isNullable: true },
  { name: 'recorded', type: 'INT64', isNullable: true },
];

export async function makeLakeFile(order: FileOrder, withStore: WithStore): Promise<MadeFile | undefined> {
  const { path, place, metadata, isProven, source } = order;
  if (source.table === 'gaps') return makeGaps(order, source.rows);
  return withStore(place, async (store) => {
    if (source.table === 'trades') {
      let minTs: number | undefined;
      let maxTs = 0;
      const groups = tradeGroups(store, source, (first, last) => {
        minTs ??= first;
        maxTs = last;
      });
      const written = await writeParquet(path, { columns: tradeColumns, metadata, isProven }, groups);
      return minTs === undefined ? undefined : { ...written, minTs, maxTs };
    }
    const rows = await readRows(store, source);
    if (!rows) return undefined;
    const { columns, group, first, last, isComplete } = rows;
    const written = await writeParquet(path, { columns, metadata, isProven }, [group]);
    return { ...written, minTs: first, maxTs: last, ...(isComplete !== undefined && { isComplete }) };
  });
}

/** The rows of a table that fit into one group. */
async function readRows(
  store: Store,
  source: Exclude<FileOrder['source'], { readonly table: 'trades' | 'gaps' }>,
): Promise<
  (FileRows & { readonly columns: readonly ParquetColumn[]; readonly isComplete?: boolean }) | undefined
> {
  if (source.table === 'candles_1m') {
    const candles = await readCandles(store, source);
    return candles && { ...candles, columns: candleColumns };
  }
  if (source.table === 'repaired_trades') {
    const repaired = await readRepaired(store, source);
    return repaired && { ...repaired, columns: repairedColumns };
  }
  if (source.table === 'liquidations') {
    const liquidations = await readLiquidations(store, source);
    return liquidations && { ...liquidations, columns: liquidationColumns };
  }
  const samples = await readSamples(store, source);
  return samples && { ...samples, columns: sampleColumns[source.table] };
}

async function makeGaps({ path, metadata, isProven }: FileOrder, rows: readonly GapRow[]): Promise<MadeFile> {
  const whole = (value: number | undefined): bigint | null => (value === undefined ? null : BigInt(value));
  const group = [
    BigInt64Array.from(rows, ({ from }) => BigInt(from)),
    BigInt64Array.from(rows, ({ to }) => BigInt(to)),
    rows.map(({ state }) => state),
    rows.map(({ reason }) => reason ?? null),
    rows.map(({ expectedTrades }) => whole(expectedTrades)),
    rows.map(({ recordedTrades }) => whole(recordedTrades)),
  ];
  const written = await writeParquet(
    path,
    { columns: gapColumns, metadata, isProven },
    rows.length > 0 ? [group] : [],
  );
  const [first, last] = [rows[0], rows.at(-1)];
  return { ...written, ...(first && last && { minTs: first.from, maxTs: last.to }) };
}
