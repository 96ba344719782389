import { columnsInCoins, firstTickAt, type MarketUnits } from '@crosstape/core';
import { LocalBus } from '../../platform/local-bus.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { throwIfGivenUp } from '../../platform/thread-tasks.ts';
import type { Store } from '../../store/store.ts';
import { recordedTicks } from '../tape/recorded-ticks.ts';
import { createTapeReader } from '../tape/tape-reader.ts';
import { TickTable } from '../tape/tick-table.ts';
import type { ParquetColumn, RowGroup } from './parquet-file.ts';

/** Groups do not depend on chunks: the same trades give the same file. */
const GROUP_ROWS = 100_000;

export const tradeColumns: readonly ParquetColumn[] = [
  { name: 'ts', type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
  { name: 'price', type: 'DOUBLE' },
  { name: 'size', type: 'DOUBLE' },
  { name: 'is_buy', type: 'BOOLEAN' },
  // Hashes: a dictionary does not make them smaller.
  { name: 'tid', type: 'INT64', encoding: 'PLAIN' },
  { name: 'same_order', type: 'BOOLEAN' },
  { name: 'venue_ts', type: 'INT64', isNullable: true },
  { name: 'coin', type: 'STRING' },
];

export interface TradeRange {
  /** The first part of the market's id, and its symbol. */
  readonly venue: string;
  readonly symbol: string;
  readonly coin: string;
  /** For another venue than the primary: its unit, from which prices and sizes are converted. */
  readonly unit?: MarketUnits | undefined;
  /** `fromTs <= ts < toTs`. */
  readonly fromTs: number;
  readonly toTs: number;
}

/** The recorded trades of a market in coins, oldest first; `onTs` receives the first and last time of each group. */
export async function* tradeGroups(
  store: Store,
  { venue, symbol, coin, unit, fromTs, toTs }: TradeRange,
  onTs: (first: number, last: number) => void,
): AsyncGenerator<RowGroup> {
  const tape = createTapeReader({ table: new TickTable(store, venue), bus: new LocalBus(systemClock) });
  const ts = new BigInt64Array(GROUP_ROWS);
  const price = new Float64Array(GROUP_ROWS);
  const size = new Float64Array(GROUP_ROWS);
  const isBuy = new Uint8Array(GROUP_ROWS);
  const tid = new BigInt64Array(GROUP_ROWS);
  const sameOrder = new Uint8Array(GROUP_ROWS);
  const venueTs: (bigint | null)[] = [];
  const [tsWords, tidWords] = [new Int32Array(ts.buffer), new Int32Array(tid.buffer)];
  const coins = Array.from({ length: GROUP_ROWS }, () => coin);
  let rows = 0;
  const group = (): RowGroup => {
    onTs(Number(ts[0]), Number(ts[rows - 1]));
    const filled = <Values extends { subarray(from: number, to: number): Values }>(column: Values): Values =>
      column.subarray(0, rows);
    return [
      filled(ts),
      filled(price),
      filled(size),
      filled(isBuy),
      filled(tid),
      filled(sameOrder),
      venueTs.slice(0, rows),
      coins.slice(0, rows),
    ];
  };
  for await (const ticks of recordedTicks(tape, symbol, fromTs, toTs)) {
    throwIfGivenUp();
    const { ids } = ticks;
    const columns = unit ? columnsInCoins(ticks.columns, unit) : ticks.columns;
    const priceScale = 10 ** columns.priceDecimals;
    const sizeScale = 10 ** columns.sizeDecimals;
    const end = firstTickAt(columns, toTs);
    for (let i = firstTickAt(columns, fromTs); i < end; i += 1) {
      const at = columns.ts[i]!;
      const lateMs = ids.lateMs[i]!;
      setWhole(tsWords, rows, at);
      // Rounded once, so that each prints its exact decimal.
      price[rows] = columns.price[i]! / priceScale;
      size[rows] = columns.size[i]! / sizeScale;
      isBuy[rows] = columns.isBuy[i]!;
      setWhole(tidWords, rows, ids.tid[i]!);
      sameOrder[rows] = columns.sameOrder[i]!;
      venueTs[rows] = lateMs === 0 ? null : BigInt(at - lateMs);
      rows += 1;
      if (rows < GROUP_ROWS) continue;
      yield group();
      rows = 0;
    }
  }
  if (rows > 0) yield group();
}

const LOW = 2 ** 32;

/** Writes a whole number below 2^53 as the 64 bits at `row`, without a BigInt for each. */
function setWhole(words: Int32Array, row: number, value: number): void {
  const high = Math.floor(value / LOW);
  words[2 * row] = value - high * LOW;
  words[2 * row + 1] = high;
}
