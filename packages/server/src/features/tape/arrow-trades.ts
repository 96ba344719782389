import {
  columnsInCoins,
  createIdColumns,
  createTickColumns,
  decodeIds,
  decodeReceipts,
  decodeTicks,
  firstTickAt,
  lendTicks,
  type MarketUnits,
  type TickColumns,
} from '@crosstape/core';
import { arrowBatch, type ArrowColumn, type ArrowField } from '../../platform/arrow/arrow-stream.ts';
import type { Task } from '../../platform/jobs.ts';
import { gunzipChunk } from './chunk-gzip.ts';
import type { Ticks } from './tick-table.ts';

/** The columns of trades: `history`, `received` with receive times as well, `flow` those that flowsurface reads. */
export type ArrowTradeColumns = 'history' | 'received' | 'flow';

export interface TradesForArrow {
  readonly columns: ArrowTradeColumns;
  /** Gzip members: trades and, but for `flow`, their ids; for `received` also their receive times, where known. */
  readonly chunks: readonly {
    readonly data: Uint8Array;
    readonly ids?: Uint8Array | undefined;
    readonly receipts?: Uint8Array | undefined;
  }[];
  /** `fromTs <= ts < toTs`. */
  readonly fromTs: number;
  readonly toTs: number;
  /** For another venue than the primary: its unit, from which prices and sizes are converted. */
  readonly unit?: MarketUnits | undefined;
  /** Maximum rows, except that a millisecond is never split. */
  readonly rowsMax: number;
  /** Rows of the answer before these chunks; default: none. */
  readonly rowsBefore?: number;
}

export interface ArrowTrades {
  /** One for each chunk that was read; of a chunk without rows inside the range, without bytes. */
  readonly batches: { readonly rows: number; readonly bytes: Uint8Array }[];
  /** Whether rows of the range were left out. */
  readonly isFull: boolean;
}

/** Makes record batches on a worker; `worker.ts` exports the function. */
export const arrowTradesTask: Task<TradesForArrow, ArrowTrades> = { name: 'arrowTrades' };

/** The fields of trades; the market is one label for all rows. */
export function arrowTradeFields(columns: ArrowTradeColumns, market = ''): readonly ArrowField[] {
  if (columns === 'flow')
    return [
      { name: 'ts', kind: 'int64' },
      { name: 'price', kind: 'float64' },
      { name: 'qty', kind: 'float64' },
      { name: 'is_sell', kind: 'bool' },
    ];
  return [
    { name: 'ts', kind: 'int64' },
    { name: 'price', kind: 'float64' },
    { name: 'size', kind: 'float64' },
    { name: 'isBuy', kind: 'bool' },
    { name: 'tid', kind: 'int64' },
    { name: 'sameOrder', kind: 'bool' },
    { name: 'venueTs', kind: 'int64', isNullable: true },
    { name: 'market', kind: 'label', text: market },
    ...(columns === 'received'
      ? [{ name: 'recvMs', kind: 'int64', isNullable: true } satisfies ArrowField]
      : []),
  ];
}

const noFlags = new Uint8Array(0);
const noBatch: Uint8Array = new Uint8Array(0);

/** One batch per chunk, of the rows inside the range. */
export function arrowTrades({
  columns: kind,
  chunks,
  fromTs,
  toTs,
  unit,
  rowsMax,
  rowsBefore = 0,
}: TradesForArrow): ArrowTrades {
  const fields = arrowTradeFields(kind);
  const batches: ArrowTrades['batches'][number][] = [];
  let rows = rowsBefore;
  let columns = createTickColumns(0);
  let ids = createIdColumns(0);
  for (const { data, ids: idBytes, receipts: receiptBytes } of chunks) {
    if (rows >= rowsMax) return { batches, isFull: true };
    const payload = gunzipChunk(data);
    // The columns of flowsurface are written to the batch directly from the decoder.
    columns = kind === 'flow' ? { ...lendTicks(payload), sameOrder: noFlags } : decodeTicks(payload, columns);
    // Missing ids are damage, which gunzip reports.
    if (kind !== 'flow') ids = decodeIds(gunzipChunk(idBytes ?? new Uint8Array()), ids);
    const from = firstTickAt(columns, fromTs);
    const end = firstTickAt(columns, toTs);
    const to = cutAt(columns, from, end, rowsMax - rows, rows > 0);
    let bytes = noBatch;
    if (to > from) {
      const inCoins = unit ? columnsInCoins(columns, unit) : columns;
      const receipts = receiptBytes && decodeReceipts(gunzipChunk(receiptBytes));
      const ticks = { columns: inCoins, ids, receipts };
      bytes = arrowBatch(fields, arrowTradeColumns(kind, ticks), from, to);
    }
    batches.push({ rows: to - from, bytes });
    rows += to - from;
    if (to < end) return { batches, isFull: true };
  }
  return { batches, isFull: false };
}

/** The cut that splits no millisecond: before the limit, or after it if no row would be left. */
function cutAt({ ts }: TickColumns, from: number, end: number, rowsMax: number, hasRows: boolean): number {
  if (end - from <= rowsMax) return end;
  let to = from + rowsMax;
  while (to > from && ts[to] === ts[to - 1]) to -= 1;
  if (to > from || hasRows) return to;
  to = from + rowsMax;
  while (to < end && ts[to] === ts[to - 1]) to += 1;
  return to;
}

/** The columns of trades, in the order of the fields. */
export function arrowTradeColumns(
  kind: ArrowTradeColumns,
  { columns, ids, receipts }: Ticks,
): readonly ArrowColumn[] {
  const { length, ts, isBuy, sameOrder } = columns;
  const price = { numbers: columns.price, scale: 10 ** columns.priceDecimals };
  const size = { numbers: columns.size, scale: 10 ** columns.sizeDecimals };
  if (kind === 'flow') return [{ numbers: ts }, price, size, { flags: isBuy, isNegated: true }];
  const venueTs = new Float64Array(length);
  const valid = new Uint8Array(length);
  for (let i = 0; i < length; i += 1) {
    const lateMs = ids.lateMs[i]!;
    venueTs[i] = ts[i]! - lateMs;
    valid[i] = lateMs === 0 ? 0 : 1;
  }
  return [
    { numbers: ts },
    price,
    size,
    { flags: isBuy },
    { numbers: ids.tid },
    { flags: sameOrder },
    { numbers: venueTs, valid },
    undefined,
    ...(kind === 'received' ? [receiveTimes(columns, receipts)] : []),
  ];
}

function receiveTimes({ length, ts }: TickColumns, receipts: Ticks['receipts']): ArrowColumn {
  const numbers = new Float64Array(length);
  const valid = new Uint8Array(length);
  for (let i = 0; i < length; i += 1) {
    const lagMs = receipts?.lagMs[i] ?? Number.NaN;
    if (Number.isNaN(lagMs)) continue;
    numbers[i] = ts[i]! + lagMs;
    valid[i] = 1;
  }
  return { numbers, valid };
}
