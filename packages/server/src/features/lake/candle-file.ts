import { type CandleRow, candleRow, MINUTE_MS } from '@crosstape/core';
import { LocalBus } from '../../platform/local-bus.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { marketKey } from '../../store/market-key.ts';
import type { Store } from '../../store/store.ts';
import { type CandleGap } from '../candles/candle-table.ts';
import { completeness, createCandleReader } from '../candles/candle-reader.ts';
import { createTapeReader } from '../tape/tape-reader.ts';
import { TickTable } from '../tape/tick-table.ts';
import type { ParquetColumn, RowGroup } from './parquet-file.ts';
import type { TradeRange } from './trade-file.ts';

const MINUTES_MAX = 1_440;

export const candleColumns: readonly ParquetColumn[] = [
  { name: 'ts', type: 'INT64', encoding: 'DELTA_BINARY_PACKED' },
  { name: 'open', type: 'DOUBLE' },
  { name: 'high', type: 'DOUBLE' },
  { name: 'low', type: 'DOUBLE' },
  { name: 'close', type: 'DOUBLE' },
  { name: 'volume', type: 'DOUBLE' },
  { name: 'buy_volume', type: 'DOUBLE', isNullable: true },
  { name: 'notional_usd', type: 'DOUBLE', isNullable: true },
  { name: 'trades', type: 'INT64', isNullable: true },
  { name: 'buy_trades', type: 'INT64', isNullable: true },
  { name: 'liq_long_usd', type: 'DOUBLE' },
  { name: 'liq_short_usd', type: 'DOUBLE' },
  { name: 'complete', type: 'BOOLEAN', isNullable: true },
  { name: 'origin', type: 'STRING' },
  { name: 'coin', type: 'STRING' },
];

export interface CandleRange extends TradeRange {
  /** Where trades are or may be missing. */
  readonly gaps: readonly CandleGap[];
}

export interface FileRows {
  readonly group: RowGroup;
  readonly first: number;
  readonly last: number;
}

/** The minutes of a market's day, as `/candles` returns them. */
export async function readCandles(store: Store, range: CandleRange): Promise<FileRows | undefined> {
  const { venue, symbol, coin, unit, fromTs, toTs, gaps } = range;
  const bus = new LocalBus(systemClock);
  const ticks = new TickTable(store, venue);
  const market = {
    id: marketKey(venue, symbol),
    symbol,
    ...(unit && { units: unit }),
    ticks,
    tape: createTapeReader({ table: ticks, bus }),
    // Gaps are known from the order.
    coverage: {
      stretches: async () => [],
      gaps: async () => [],
      leftOut: async () => [],
      recordedSinceMs: async () => undefined,
    },
  };
  const query = { intervalMs: MINUTE_MS, from: fromTs, to: toTs, limit: MINUTES_MAX };
  const { candles } = await createCandleReader({ store, bus }).read(market, query);
  const isComplete = completeness(gaps);
  const rows = candles.map((candle) =>
    candleRow(candle, candle.origin === 'venue' ? null : isComplete(candle.ts, candle.ts + MINUTE_MS)),
  );
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return undefined;
  return { group: columnsOf(rows, coin), first: first.ts, last: last.ts };
}

function columnsOf(rows: readonly CandleRow[], coin: string): RowGroup {
  const figures = (valueOf: (row: CandleRow) => number): Float64Array => Float64Array.from(rows, valueOf);
  const counts = (valueOf: (row: CandleRow) => number | undefined): (bigint | null)[] =>
    rows.map((row) => valueOf(row)).map((value) => (value === undefined ? null : BigInt(value)));
  return [
    BigInt64Array.from(rows, ({ ts }) => BigInt(ts)),
    figures(({ open }) => open),
    figures(({ high }) => high),
    figures(({ low }) => low),
    figures(({ close }) => close),
    figures(({ volume }) => volume),
    rows.map(({ buyVolume }) => buyVolume ?? null),
    rows.map(({ notionalUsd }) => notionalUsd ?? null),
    counts(({ trades }) => trades),
    counts(({ buyTrades }) => buyTrades),
    figures(({ liqLongUsd }) => liqLongUsd),
    figures(({ liqShortUsd }) => liqShortUsd),
    rows.map(({ complete }) => complete),
    rows.map(({ origin }) => origin),
    rows.map(() => coin),
  ];
}
