import {
  columnsInCoins,
  createIdColumns,
  createTickColumns,
  decodeIds,
  decodeReceipts,
  decodeTicks,
  type MarketUnits,
} from '@crosstape/core';
import type { Task } from '../../platform/jobs.ts';
import { gunzipChunk } from './chunk-gzip.ts';
import type { Ticks } from './tick-table.ts';

/** The gzip members of a chunk to be printed: trades, their ids and, where known, their receive times. */
export interface PrintedChunk {
  readonly data: Uint8Array;
  readonly ids: Uint8Array;
  readonly receipts?: Uint8Array | undefined;
}

export interface TradesToPrint {
  readonly chunks: readonly PrintedChunk[];
  /** `fromTs <= ts < toTs`. */
  readonly fromTs: number;
  readonly toTs: number;
  /** For another venue than the primary: its unit, from which prices and sizes are converted. */
  readonly unit?: MarketUnits | undefined;
  /** Whether each trade has its `recvMs`, null if unknown. */
  readonly withReceipts?: boolean;
}

/** Prints trades on a worker; `worker.ts` exports the function. */
export const printTradesTask: Task<TradesToPrint, Uint8Array> = { name: 'printTrades' };

/** The trades of chunks as a JSON array. Prices and sizes are numbers that read exactly as the venue's decimals. */
export function printTrades(order: TradesToPrint): Uint8Array<ArrayBuffer> {
  const { chunks, unit } = order;
  const rows: string[] = [];
  let columns = createTickColumns(0);
  let ids = createIdColumns(0);
  for (const { data, ids: idBytes, receipts: receiptBytes } of chunks) {
    columns = decodeTicks(gunzipChunk(data), columns);
    ids = decodeIds(gunzipChunk(idBytes), ids);
    const inCoins = unit ? columnsInCoins(columns, unit) : columns;
    const receipts = receiptBytes && decodeReceipts(gunzipChunk(receiptBytes));
    printInto(rows, { columns: inCoins, ids, receipts }, order);
  }
  return new TextEncoder().encode(`[${rows.join(',')}]`);
}

function printInto(
  rows: string[],
  { columns, ids, receipts }: Ticks,
  { fromTs, toTs, withReceipts }: TradesToPrint,
): void {
  const { length, ts, price, size, isBuy } = columns;
  const priceScale = 10 ** columns.priceDecimals;
  const sizeScale = 10 ** columns.sizeDecimals;
  for (let i = 0; i < length; i += 1) {
    const at = ts[i] as number;
    if (at < fromTs || at >= toTs) continue;
    const lateMs = ids.lateMs[i] as number;
    const lagMs = receipts?.lagMs[i] ?? Number.NaN;
    const recv = withReceipts ? `,"recvMs":${Number.isNaN(lagMs) ? 'null' : at + lagMs}` : '';
    // An integer over a power of ten is rounded once, so it prints its exact decimal.
    rows.push(
      `{"ts":${at},"price":${(price[i] as number) / priceScale},"size":${(size[i] as number) / sizeScale},` +
        `"side":"${isBuy[i] === 1 ? 'buy' : 'sell'}","tid":${ids.tid[i]}${lateMs === 0 ? '' : `,"venueTs":${at - lateMs}`}${recv}}`,
    );
  }
}
