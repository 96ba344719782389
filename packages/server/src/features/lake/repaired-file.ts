import type { Store } from '../../store/store.ts';
import { marketKey } from '../../store/market-key.ts';
import { identityOf, RepairedTable } from '../audit/repaired-table.ts';
import type { FileRows } from './candle-file.ts';
import type { ParquetColumn } from './parquet-file.ts';
import type { TradeRange } from './trade-file.ts';

export const repairedColumns: readonly ParquetColumn[] = [
  { name: 'ts', type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
  { name: 'price', type: 'DOUBLE' },
  { name: 'size', type: 'DOUBLE' },
  { name: 'is_buy', type: 'BOOLEAN' },
  { name: 'tid', type: 'INT64', encoding: 'PLAIN' },
  { name: 'coin', type: 'STRING' },
];

export interface RepairedRange extends TradeRange {
  /** Trades that are left out: other files have them. */
  readonly except?: ReadonlySet<string>;
}

/** The trades of a market's day that the tape lacks and the audit recovered; `undefined` without any. */
export async function readRepaired(
  store: Store,
  { venue, symbol, coin, fromTs, toTs, except }: RepairedRange,
): Promise<FileRows | undefined> {
  const all = await new RepairedTable(store).read(marketKey(venue, symbol), fromTs, toTs);
  const rows = except ? all.filter((trade) => !except.has(identityOf(trade))) : all;
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return undefined;
  return {
    group: [
      BigInt64Array.from(rows, ({ ts }) => BigInt(ts)),
      Float64Array.from(rows, ({ price }) => price),
      Float64Array.from(rows, ({ size }) => size),
      rows.map(({ side }) => side === 'buy'),
      BigInt64Array.from(rows, ({ tid }) => BigInt(tid)),
      rows.map(() => coin),
    ],
    first: first.ts,
    last: last.ts,
  };
}
