import { pipeline, type Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import {
  columnsInCoins,
  createIdColumns,
  createTickColumns,
  decodeIds,
  decodeTicks,
  firstTickAt,
} from '@crosstape/core';
import type { Task } from '../../platform/jobs.ts';
import { streamBytes } from '../../platform/stream-bytes.ts';
import { gunzipChunk } from '../tape/chunk-gzip.ts';
import { printScaled } from '../tape/print-scaled.ts';
import type { TradesToPrint } from '../tape/print-trades.ts';
import type { Ticks } from '../tape/tick-table.ts';

/** The first line of files of trades and of liquidations. */
export const TRADES_HEAD = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n';

/** Constant, so that the same rows give the same bytes on every version of zlib's defaults. */
const GZIP_LEVEL = 6;

/** The names in the file. */
export interface TardisName {
  readonly exchange: string;
  readonly symbol: string;
}

export interface TardisPart extends TradesToPrint, TardisName {
  /** Whether it begins with the first line of the file. */
  readonly isFirst: boolean;
}

/** Prints trades as a gzip member on a worker; `worker.ts` exports the function. */
export const printTardisTask: Task<TardisPart, Uint8Array> = { name: 'printTardis' };

export function printTardis({ chunks, fromTs, toTs, unit, isFirst, ...name }: TardisPart): Uint8Array {
  const lines = [isFirst ? TRADES_HEAD : ''];
  let columns = createTickColumns(0);
  let ids = createIdColumns(0);
  for (const chunk of chunks) {
    columns = decodeTicks(gunzipChunk(chunk.data), columns);
    ids = decodeIds(gunzipChunk(chunk.ids), ids);
    const inCoins = unit ? columnsInCoins(columns, unit) : columns;
    const [from, to] = [firstTickAt(columns, fromTs), firstTickAt(columns, toTs)];
    lines.push(tradeLines(name, { columns: inCoins, ids }, from, to));
  }
  return gzipLines(lines.join(''));
}

/** A gzip member; the same text gives the same bytes. */
export function gzipLines(text: string): Uint8Array {
  return gzipSync(text, { level: GZIP_LEVEL });
}

/** The file as a stream, made off the event loop while it is read. */
export function gzipStream(text: Uint8Array): Readable {
  return pipeline(streamBytes(text), createGzip({ level: GZIP_LEVEL }), () => undefined);
}

/** The trades `from <= i < to`. Receive times are not in the order of the tape, as a file's rows must be: `local_timestamp` is the tape's time. */
export function tradeLines(
  { exchange, symbol }: TardisName,
  { columns, ids }: Ticks,
  from: number,
  to: number,
): string {
  const { priceDecimals, sizeDecimals } = columns;
  const lines: string[] = [];
  for (let i = from; i < to; i += 1) {
    const ts = columns.ts[i] as number;
    const venueTs = ts - (ids.lateMs[i] as number);
    const side = columns.isBuy[i] === 1 ? 'buy' : 'sell';
    const price = printScaled(columns.price[i] as number, priceDecimals);
    const size = printScaled(columns.size[i] as number, sizeDecimals);
    lines.push(`${exchange},${symbol},${venueTs}000,${ts}000,${ids.tid[i]},${side},${price},${size}\n`);
  }
  return lines.join('');
}
