import { decodeTicks, firstTickAt, type TickColumns } from '@crosstape/core';
import type { Task } from '../../platform/jobs.ts';
import { throwIfGivenUp } from '../../platform/thread-tasks.ts';
import { gunzipChunk } from '../tape/chunk-gzip.ts';
import type { WithReader } from '../../store/store.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';

/** Half an hour of the busiest coin has far fewer. */
const CHUNKS_MAX = 1_000;

export interface ClosesRequest {
  /** Folder of the store. */
  readonly folder: string;
  /** Start of the first period, length of each, and their number. */
  readonly fromMs: number;
  readonly periodMs: number;
  readonly periods: number;
}

/** By coin, the price of the last trade in each period; null if none is recorded. */
export type Closes = Readonly<Record<string, readonly (number | null)[]>>;

/** Reads closing prices from the tape; `worker.ts` exports the function. */
export const readClosesTask: Task<ClosesRequest, Closes> = { name: 'readCloses' };

export async function readCloses(
  { folder, ...asked }: ClosesRequest,
  withReader: WithReader,
): Promise<Closes> {
  return withReader(folder, (store) => closesOnTape(new TickTable(store), asked));
}

export async function closesOnTape(table: TickTable, asked: Omit<ClosesRequest, 'folder'>): Promise<Closes> {
  const closes: [string, (number | null)[]][] = [];
  for (const coin of await table.coins()) closes.push([coin, await closesOf(table, coin, asked)]);
  return Object.fromEntries(closes);
}

async function closesOf(
  table: TickTable,
  coin: string,
  { fromMs, periodMs, periods }: Omit<ClosesRequest, 'folder'>,
): Promise<(number | null)[]> {
  const tail = new TickBuffer();
  for (const piece of await table.tail(coin)) tail.addTicks(piece);
  const closes: (number | null)[] = [];
  for (let startMs = fromMs; closes.length < periods; startMs += periodMs) {
    throwIfGivenUp();
    const endMs = startMs + periodMs;
    const newest = lastPrice(tail.columns, startMs, endMs);
    closes.push(newest ?? (await sealedClose(table, coin, startMs, endMs)));
  }
  return closes;
}

/** Only the chunk with the last trade is opened. */
async function sealedClose(
  table: TickTable,
  coin: string,
  startMs: number,
  endMs: number,
): Promise<number | null> {
  const last = (await table.names(coin, startMs, endMs, CHUNKS_MAX)).at(-1);
  if (!last) return null;
  const [chunk] = await table.chunks(coin, last.startTs, last.startTs + 1, 1);
  return chunk ? (lastPrice(decodeTicks(gunzipChunk(chunk.data)), startMs, endMs) ?? null) : null;
}

function lastPrice(columns: TickColumns, startMs: number, endMs: number): number | undefined {
  const at = firstTickAt(columns, endMs) - 1;
  if (at < 0 || (columns.ts[at] as number) < startMs) return undefined;
  return (columns.price[at] as number) / 10 ** columns.priceDecimals;
}
