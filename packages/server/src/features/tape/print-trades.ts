import { columnsInCoins, createIdColumns, createTickColumns, decodeIds, decodeTicks } from '@crosstape/core';
import type { Task } from '../../platform/jobs.ts';
import { gunzipChunk } from './chunk-gzip.ts';
import type { Ticks } from './tick-table.ts';

/** Chunks to be printed: one gzip member with trades and one with their ids, each. */
export interface TradesToPrint {
  readonly chunks: readonly { readonly data: Uint8Array; readonly ids: Uint8Array }[];
  /** `fromTs <= ts < toTs`. */
  readonly fromTs: number;
  readonly toTs: number;
  /** Of another venue than the primary: its unit, from which prices and sizes are converted. */
  readonly unit?: { readonly contractSize: number; readonly scale: number } | undefined;
}

/** Prints trades on a worker; `worker.ts` exports the function. */
export const printTradesTask: Task<TradesToPrint, Uint8Array> = { name: 'printTrades' };

/** The trades of chunks as a JSON array. Prices and sizes are numbers that read exactly as the venue's decimals. */
export function printTrades({ chunks, fromTs, toTs, unit }: TradesToPrint): Uint8Array<ArrayBuffer> {
  const rows: string[] = [];
  let columns = createTickColumns(0);
  let ids = createIdColumns(0);
  for (const { data, ids: idBytes } of chunks) {
    columns = decodeTicks(gunzipChunk(data), columns);
    ids = decodeIds(gunzipChunk(idBytes), ids);
    const inCoins = unit ? columnsInCoins(columns, unit) : columns;
    printInto(rows, { columns: inCoins, ids }, fromTs, toTs);
  }
  return new TextEncoder().encode(`[${rows.join(',')}]`);
}

function printInto(rows: string[], { columns, ids }: Ticks, fromTs: number, toTs: number): void {
  const { length, ts, price, size, isBuy } = columns;
  const priceScale = 10 ** columns.priceDecimals;
  const sizeScale = 10 ** columns.sizeDecimals;
  for (let i = 0; i < length; i += 1) {
    const at = ts[i] as number;
    if (at < fromTs || at >= toTs) continue;
    const lateMs = ids.lateMs[i] as number;
    // A whole number over a power of ten is rounded once, so it prints as the decimal that it stands for.
    rows.push(
      `{"ts":${at},"price":${(price[i] as number) / priceScale},"size":${(size[i] as number) / sizeScale},` +
        `"side":"${isBuy[i] === 1 ? 'buy' : 'sell'}","tid":${ids.tid[i]}${lateMs === 0 ? '' : `,"venueTs":${at - lateMs}`}}`,
    );
  }
}
