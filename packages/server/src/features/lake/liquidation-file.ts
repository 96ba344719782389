import { type Liquidation, marketIdOf } from '@crosstape/core';
import type { Store } from '../../store/store.ts';
import { joinSpans } from '../liquidations/join-spans.ts';
import { LiquidationTable } from '../liquidations/liquidation-table.ts';
import type { FileRows } from './candle-file.ts';
import type { ParquetColumn } from './parquet-file.ts';

export const liquidationColumns: readonly ParquetColumn[] = [
  { name: 'ts', type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
  { name: 'market', type: 'STRING' },
  { name: 'coin', type: 'STRING' },
  { name: 'side', type: 'STRING' },
  { name: 'position', type: 'STRING' },
  { name: 'price', type: 'DOUBLE' },
  { name: 'size', type: 'DOUBLE' },
  { name: 'notional_usd', type: 'DOUBLE' },
  { name: 'quote', type: 'STRING' },
  { name: 'inferred', type: 'BOOLEAN' },
];

export interface LiquidationRange {
  readonly table: 'liquidations';
  readonly venue: string;
  /** `fromTs <= ts < toTs`. */
  readonly fromTs: number;
  readonly toTs: number;
}

/** The liquidations of a venue's day by time; complete when its feed was connected all day. */
export async function readLiquidations(
  store: Store,
  { venue, fromTs, toTs }: LiquidationRange,
): Promise<(FileRows & { readonly isComplete: boolean }) | undefined> {
  const table = new LiquidationTable(store);
  const rows: Liquidation[] = [];
  for await (const some of table.since(fromTs)) {
    rows.push(...some.filter((row) => row.venue === venue && row.ts < toTs));
    if ((some.at(-1)?.ts ?? toTs) >= toTs) break;
  }
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return undefined;
  const spans = (await table.spans(fromTs)).filter((span) => span.venue === venue);
  return {
    group: [
      BigInt64Array.from(rows, ({ ts }) => BigInt(ts)),
      rows.map(({ coin, symbol = coin }) => marketIdOf({ venue, kind: 'perp', symbol })),
      rows.map(({ coin }) => coin),
      rows.map(({ side }) => side),
      rows.map(({ side }) => (side === 'sell' ? 'long' : 'short')),
      Float64Array.from(rows, ({ price }) => price),
      Float64Array.from(rows, ({ size }) => size),
      Float64Array.from(rows, ({ notionalUsd }) => notionalUsd),
      rows.map(({ quote }) => quote ?? 'USD'),
      rows.map(({ inferred }) => inferred),
    ],
    first: first.ts,
    last: last.ts,
    isComplete: joinSpans(spans).some(({ from, to }) => from <= fromTs && to >= toTs),
  };
}
