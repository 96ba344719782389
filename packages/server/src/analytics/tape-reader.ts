import { encodeIds, encodeTicks, type Trade } from '@crosstape/core';
import type { Bus } from '../platform/bus.ts';
import { gzipChunk } from '../store/chunk-gzip.ts';
import { TickBuffer } from '../store/tick-buffer.ts';
import type { ChunkName, Ticks, TickShelf } from '../store/tick-shelf.ts';
import { tradeTopic } from '../topics.ts';

/** A chunk of a page: one gzip member with the trades and, when asked for, one with their ids. */
export interface PageChunk extends ChunkName {
  readonly data: Uint8Array;
  readonly ids?: Uint8Array;
}

export interface TapePage {
  readonly chunks: readonly PageChunk[];
  /** First `ts` of the next chunk inside the range; `undefined` at the end. */
  readonly nextStart?: number;
}

export interface PageQuery {
  readonly coin: string;
  /** `fromTs <= ts < toTs`. */
  readonly fromTs: number;
  readonly toTs: number;
  readonly chunksMax: number;
  readonly withIds: boolean;
}

export interface TapeReader {
  /** Whole chunks with any trade in the range, as they are stored; the newest may still be growing. */
  page(query: PageQuery): Promise<TapePage>;
  /** The trades of a coin that are in no sealed chunk. */
  unsealed(coin: string): Promise<Ticks>;
}

/** Reads the recorded tape up to the newest trade, whether sealed, written or only just released. */
export function createTapeReader({
  shelf,
  bus,
}: {
  readonly shelf: TickShelf;
  readonly bus: Bus;
}): TapeReader {
  const unsealed = async (coin: string): Promise<TickBuffer> => {
    // In this order nothing can slip through: what moves on while we read is found in the later place as well.
    const released = releasedTrades(bus, coin);
    const pieces = await shelf.tail(coin);
    const sealedTs = (await shelf.newest(coin))?.endTs ?? -1;
    const buffer = new TickBuffer();
    for (const piece of pieces) buffer.addTicks(after(piece, sealedTs));
    for (const trade of missingIn(buffer, sealedTs, released)) buffer.add(trade);
    return buffer;
  };

  return {
    unsealed,
    async page({ coin, fromTs, toTs, chunksMax, withIds }) {
      const tail = await unsealed(coin);
      const wanted = chunksMax + 1;
      const sealed = await shelf.chunks(coin, fromTs, toTs, wanted);
      const ids = withIds ? await shelf.chunkIds(coin, fromTs, toTs, wanted) : [];
      const chunks: PageChunk[] = sealed.map((chunk, i) => (ids[i] ? { ...chunk, ids: ids[i].data } : chunk));
      const open = openChunk(coin, tail, chunks.at(-1)?.endTs ?? -1, withIds);
      if (open && open.startTs < toTs && open.endTs >= fromTs) chunks.push(open);
      const next = chunks[chunksMax];
      return { chunks: chunks.slice(0, chunksMax), ...(next ? { nextStart: next.startTs } : {}) };
    },
  };
}

/** The unsealed trades as a chunk; those that were sealed while we read are left out. */
function openChunk(coin: string, tail: Ticks, sealedTs: number, withIds: boolean): PageChunk | undefined {
  const { columns, ids } = after(tail, sealedTs);
  const { length: trades, ts } = columns;
  if (trades === 0) return undefined;
  return {
    coin,
    startTs: ts[0] as number,
    endTs: ts[trades - 1] as number,
    trades,
    data: gzipChunk(encodeTicks(columns)),
    ...(withIds ? { ids: gzipChunk(encodeIds(ids)) } : {}),
  };
}

function releasedTrades(bus: Bus, coin: string): readonly Trade[] {
  const log = bus.log(tradeTopic(coin));
  const trades: Trade[] = [];
  for (let position = log.start; position < log.end; position += 1) trades.push(log.at(position) as Trade);
  return trades;
}

/** The trades later than a time. A millisecond is never split between chunks, so the time alone tells. */
function after({ columns, ids }: Ticks, ts: number): Ticks {
  let from = 0;
  while (from < columns.length && (columns.ts[from] as number) <= ts) from += 1;
  if (from === 0) return { columns, ids };
  return {
    columns: {
      ...columns,
      length: columns.length - from,
      ts: columns.ts.subarray(from),
      price: columns.price.subarray(from),
      size: columns.size.subarray(from),
      isBuy: columns.isBuy.subarray(from),
      sameOrder: columns.sameOrder.subarray(from),
    },
    ids: { length: ids.length - from, tid: ids.tid.subarray(from), lateMs: ids.lateMs.subarray(from) },
  };
}

/** The trades that a buffer does not hold yet: later ones, and others of its last millisecond. */
function missingIn({ columns, ids }: Ticks, sealedTs: number, trades: readonly Trade[]): readonly Trade[] {
  const { length, ts } = columns;
  const lastTs = length === 0 ? sealedTs : (ts[length - 1] as number);
  const held = new Set<number>();
  for (let i = length - 1; i >= 0 && ts[i] === lastTs; i -= 1) held.add(ids.tid[i] as number);
  return trades.filter(
    (trade) => trade.ts > lastTs || (length > 0 && trade.ts === lastTs && !held.has(trade.tid)),
  );
}
