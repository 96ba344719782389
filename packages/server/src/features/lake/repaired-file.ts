import type { Store } from '../../store/store.ts';
import { marketKey } from '../../store/market-key.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { throwIfGivenUp } from '../../platform/thread-tasks.ts';
import { identityOf, RepairedTable, type RepairedTrade } from '../audit/repaired-table.ts';
import { recordedTicks } from '../tape/recorded-ticks.ts';
import { createTapeReader } from '../tape/tape-reader.ts';
import { TickTable } from '../tape/tick-table.ts';
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

/** The tape may have a trade this much later than the venue's time. */
export const LATE_MAX_MS = 3_600_000;

/** The trades of a market's day that the tape lacks and the audit recovered; `undefined` without any. */
export async function readRepaired(
  store: Store,
  { venue, symbol, coin, fromTs, toTs, except }: RepairedRange,
): Promise<FileRows | undefined> {
  const all = await new RepairedTable(store).read(marketKey(venue, symbol), fromTs, toTs);
  const known = await onTape(store, { venue, symbol }, all);
  const rows = all.filter((trade) => {
    const identity = identityOf(trade);
    return !known.has(identity) && except?.has(identity) !== true;
  });
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

/**
 * Which repaired trades are on the tape anyway: after an outage the tape and the audit may request the same
 * trades at the same time.
 */
async function onTape(
  store: Store,
  { venue, symbol }: Pick<TradeRange, 'venue' | 'symbol'>,
  repaired: readonly RepairedTrade[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const [first, last] = [repaired[0], repaired.at(-1)];
  if (!first || !last) return found;
  const wanted = new Set(repaired.map(identityOf));
  const tape = createTapeReader({ table: new TickTable(store, venue), bus: new LocalBus(systemClock) });
  for await (const { columns, ids } of recordedTicks(tape, symbol, first.ts, last.ts + LATE_MAX_MS)) {
    throwIfGivenUp();
    for (let i = 0; i < columns.length; i += 1) {
      const identity = identityOf({ ts: columns.ts[i]! - ids.lateMs[i]!, tid: ids.tid[i]! });
      if (wanted.has(identity)) found.add(identity);
    }
  }
  return found;
}
