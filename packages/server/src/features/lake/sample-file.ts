import type { Store } from '../../store/store.ts';
import { HISTORY_CADENCE_MS, HistoryTable } from '../perps/history-table.ts';
import type { ParquetColumn, RowGroup } from './parquet-file.ts';

const keyColumns: readonly ParquetColumn[] = [
  { name: 'ts', type: 'INT64' },
  { name: 'coin', type: 'STRING' },
];

/** Tables sampled every ten minutes. */
export type SampledTable = 'open_interest' | 'funding';

export const sampleColumns: Readonly<Record<SampledTable, readonly ParquetColumn[]>> = {
  open_interest: [...keyColumns, { name: 'oi_contracts', type: 'DOUBLE' }],
  funding: [
    ...keyColumns,
    { name: 'rate', type: 'DOUBLE' },
    { name: 'period_hours', type: 'DOUBLE' },
    { name: 'native_period_hours', type: 'DOUBLE' },
  ],
};

export interface SampleRange {
  readonly table: SampledTable;
  readonly venue: string;
  /** Venue of the sampled open interest. */
  readonly primaryVenue: string;
  /** Funding period of the rates as served. */
  readonly periodHours: number;
  readonly fromTs: number;
  readonly toTs: number;
}

export interface SampledRows {
  readonly group: RowGroup;
  readonly rows: number;
  readonly first: number;
  readonly last: number;
  /** Whether every sample is present. */
  readonly isComplete: boolean;
}

/** The samples of a venue by time, then by coin. */
export async function readSamples(
  store: Store,
  { table, venue, primaryVenue, periodHours, fromTs, toTs }: SampleRange,
): Promise<SampledRows | undefined> {
  const rows: { readonly t: number; readonly coin: string; readonly values: readonly number[] }[] = [];
  for await (const samples of new HistoryTable(store).all(fromTs, toTs)) {
    for (const { coin, t, openInterest, funding } of samples) {
      const rate = funding[venue];
      if (table === 'funding' && rate)
        rows.push({ t, coin, values: [rate.rate, periodHours, rate.nativePeriodHours] });
      if (table === 'open_interest' && venue === primaryVenue && openInterest !== undefined)
        rows.push({ t, coin, values: [openInterest] });
    }
  }
  rows.sort((a, b) => a.t - b.t || (a.coin < b.coin ? -1 : 1));
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return undefined;
  const columns = first.values.map((_, i) => Float64Array.from(rows, ({ values }) => values[i] as number));
  const times = BigInt64Array.from(rows, ({ t }) => BigInt(t));
  return {
    group: [times, rows.map(({ coin }) => coin), ...columns],
    rows: rows.length,
    first: first.t,
    last: last.t,
    isComplete: new Set(rows.map(({ t }) => t)).size * HISTORY_CADENCE_MS >= toTs - fromTs,
  };
}
