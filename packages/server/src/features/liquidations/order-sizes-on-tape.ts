import { decodeTicks, HOUR_MS, type TickColumns } from '@crosstape/core';
import type { Task } from '../../platform/jobs.ts';
import { throwIfGivenUp } from '../../platform/thread-tasks.ts';
import { gunzipChunk } from '../tape/chunk-gzip.ts';
import type { WithReader } from '../../store/store.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { OrderSizes, type RememberedSizes } from './order-sizes.ts';

/** A busy coin's hour has far fewer. */
const CHUNKS_PER_HOUR_MAX = 1_000;

export interface SizesOnTape {
  /** Location of the store. */
  readonly folder: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** The sizes of recorded orders, by coin; `worker.ts` exports the function. */
export const recallSizesTask: Task<SizesOnTape, readonly (readonly [string, RememberedSizes])[]> = {
  name: 'recallSizes',
};

export async function recallSizes(
  asked: SizesOnTape,
  withReader: WithReader,
): Promise<readonly (readonly [string, RememberedSizes])[]> {
  return withReader(asked.folder, async (store) => {
    const table = new TickTable(store);
    const sizes: (readonly [string, RememberedSizes])[] = [];
    for (const coin of await table.coins())
      sizes.push([coin, (await sizesOf(table, coin, asked)).remembered]);
    return sizes;
  });
}

async function sizesOf(
  table: TickTable,
  coin: string,
  { sinceMs, untilMs }: SizesOnTape,
): Promise<OrderSizes> {
  const sizes = new OrderSizes();
  // No chunk crosses an hour.
  for (let hourMs = Math.floor(sinceMs / HOUR_MS) * HOUR_MS; hourMs < untilMs; hourMs += HOUR_MS) {
    throwIfGivenUp();
    const chunks = await table.chunks(coin, hourMs, hourMs + HOUR_MS, CHUNKS_PER_HOUR_MAX);
    for (const { data } of chunks) addOrders(sizes, decodeTicks(gunzipChunk(data)), untilMs);
  }
  // An order may have been written in two pieces.
  const tail = new TickBuffer();
  for (const piece of await table.tail(coin)) tail.addTicks(piece);
  addOrders(sizes, tail.columns, untilMs);
  return sizes;
}

/** A millisecond is never split, so no order reaches from one chunk into the next. */
function addOrders(sizes: OrderSizes, columns: TickColumns, untilMs: number): void {
  const { length, ts, price, size, sameOrder } = columns;
  const scale = 10 ** (columns.priceDecimals + columns.sizeDecimals);
  for (let from = 0, to = 1; from < length && (ts[from] as number) < untilMs; from = to, to += 1) {
    let scaled = (price[from] as number) * (size[from] as number);
    for (; to < length && sameOrder[to] === 1; to += 1)
      scaled += (price[to] as number) * (size[to] as number);
    sizes.add(scaled / scale, ts[from] as number);
  }
}
