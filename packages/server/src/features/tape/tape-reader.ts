import {
  encodeIds,
  encodeReceipts,
  encodeTicks,
  firstTickAt,
  type MarketUnits,
  type Trade,
} from '@crosstape/core';
import type { Bus, LogTopic } from '../../platform/bus.ts';
import type { EventLog } from '../../platform/event-log.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import { gzipChunk, gzipIds } from './chunk-gzip.ts';
import { isChunkFull } from './chunk-rule.ts';
import { ChunkDecimals } from './column-decimals.ts';
import { following, TickBuffer } from './tick-buffer.ts';
import type { ChunkName, StoredChunk, Ticks, TickTable } from './tick-table.ts';
import { tradeTopic } from '../../topics.ts';

/** A chunk of a page: one gzip member with the trades and, on request, one with their ids and one with their receive times. */
export interface PageChunk extends ChunkName {
  readonly data: Uint8Array;
  readonly ids?: Uint8Array;
  /** Also absent if no receive time is known. */
  readonly receipts?: Uint8Array;
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
  readonly withReceipts?: boolean;
}

export interface TapeReader {
  /** Whole chunks with any trade in the range, as they are stored; the newest may still be growing. */
  page(query: PageQuery): Promise<TapePage>;
  /** Names of sealed chunks with any trade in `fromTs <= ts < toTs`, without reading them, oldest first. */
  sealed(coin: string, fromTs: number, toTs: number, limit: number): Promise<readonly ChunkName[]>;
  /** The trades of a coin that are in no sealed chunk. */
  unsealed(coin: string): Promise<Ticks>;
  /** Where the trades of a coin are published as they are released. */
  topicOf(coin: string): LogTopic<Trade>;
  /** The unit of its prices and sizes, recorded and published; absent: coins of the primary venue. */
  readonly units?: MarketUnits;
}

/** Where the unsealed trades are cut, as sealed ones are. */
const CHUNK_TRADES = 8_192;
/** Trades put into columns before yielding to the event loop. */
const TRADES_PER_TURN = 8_192;

/** Reads the recorded tape up to the newest trade, whether sealed, written or only just released. */
export function createTapeReader({
  table,
  bus,
  topicName = (coin) => coin,
  units,
}: {
  readonly table: TickTable;
  readonly bus: Bus;
  /** Under which name the trades of a coin are published, where that is not the coin. */
  readonly topicName?: (coin: string) => string;
  readonly units?: MarketUnits;
}): TapeReader {
  const topicOf = (coin: string): LogTopic<Trade> => tradeTopic(topicName(coin));
  const unsealedParts = async (coin: string): Promise<readonly TickBuffer[]> => {
    // The ingester may be ahead of this thread or process.
    await bus.settled(topicOf(coin));
    // Every trade is in the log from its release on, so the log is read last: nothing is missed between the two.
    const pieces = await table.tail(coin);
    const sealedTs = (await table.newest(coin))?.endTs ?? -1;
    const tail = new TickBuffer();
    for (const piece of pieces) tail.follow(after(piece, sealedTs));
    return withReleased(tail, releasedAfter(tail, sealedTs, bus.log(topicOf(coin))));
  };

  /** Unsealed trades are later than every sealed one. */
  const isSealedUntil = async (coin: string, toTs: number): Promise<boolean> => {
    const [newest] = await table.newestNames(coin, 1);
    return newest !== undefined && newest.endTs >= toTs - 1;
  };

  return {
    async unsealed(coin) {
      const [first = new TickBuffer(), ...more] = await unsealedParts(coin);
      for (const part of more) first.addTicks(part);
      return first;
    },
    topicOf,
    sealed: (coin, fromTs, toTs, limit) => table.names(coin, fromTs, toTs, limit),
    ...(units && { units }),
    async page({ coin, fromTs, toTs, chunksMax, withIds, withReceipts = false }) {
      const wanted = chunksMax + 1;
      const sealedChunks = (): Promise<readonly StoredChunk[]> => table.chunks(coin, fromTs, toTs, wanted);
      // Checked first: trades sealed afterwards would be in neither.
      const isPast = await isSealedUntil(coin, toTs);
      let sealed = await sealedChunks();
      let open: readonly Ticks[] = [];
      if (sealed.length < wanted && !isPast) {
        const parts = await unsealedParts(coin);
        sealed = await sealedChunks();
        // Chunks sealed while reading are left out.
        const sealedTs = sealed.at(-1)?.endTs ?? -1;
        open = parts.flatMap((part) => cut(after(part, sealedTs), units));
      }
      const idsAt = byStart(withIds ? await table.chunkIds(coin, fromTs, toTs, wanted) : []);
      const receiptsAt = byStart(withReceipts ? await table.chunkReceipts(coin, fromTs, toTs, wanted) : []);
      const chunks = sealed.map((chunk): PageChunk => {
        const [ids, receipts] = [idsAt.get(chunk.startTs), receiptsAt.get(chunk.startTs)];
        return { ...chunk, ...(ids && { ids }), ...(receipts && { receipts }) };
      });
      for (const ticks of open) {
        if (chunks.length === wanted) break;
        const chunk = openChunk(coin, ticks, { withIds, withReceipts });
        if (chunk.startTs < toTs && chunk.endTs >= fromTs) chunks.push(chunk);
        await nextTurn();
      }
      const next = chunks[chunksMax];
      return { chunks: chunks.slice(0, chunksMax), ...(next ? { nextStart: next.startTs } : {}) };
    },
  };
}

/**
 * Adds released trades to those of the tail. Parts end where the recorder ends a chunk: only then it is certain which
 * trades fit together, and which fit into none and are dropped.
 */
async function withReleased(tail: TickBuffer, released: readonly Trade[]): Promise<readonly TickBuffer[]> {
  const parts = [tail];
  if (released.length === 0) return parts;
  let part = tail;
  let decimals = new ChunkDecimals();
  decimals.addColumns(tail.columns);
  for (const [i, trade] of released.entries()) {
    const isFull = isChunkFull(part.length, part.lastTs, trade.ts);
    if (isFull || (!decimals.takes(trade) && part.lastTs !== trade.ts)) {
      parts.push((part = new TickBuffer()));
      decimals = new ChunkDecimals();
    }
    if (!decimals.takes(trade)) continue;
    decimals.add(trade);
    part.add(trade.sameOrder ? following(part.last, trade) : trade);
    if ((i + 1) % TRADES_PER_TURN === 0) await nextTurn();
  }
  return parts;
}

function byStart(chunks: readonly StoredChunk[]): ReadonlyMap<number, Uint8Array> {
  return new Map(chunks.map(({ startTs, data }) => [startTs, data]));
}

function openChunk(
  coin: string,
  { columns, ids, receipts }: Ticks,
  { withIds, withReceipts }: Pick<PageQuery, 'withIds' | 'withReceipts'>,
): PageChunk {
  return {
    coin,
    startTs: columns.ts[0] as number,
    endTs: columns.ts[columns.length - 1] as number,
    trades: columns.length,
    data: gzipChunk(encodeTicks(columns)),
    ...(withIds ? { ids: gzipIds(encodeIds(ids)) } : {}),
    ...(withReceipts && receipts ? { receipts: gzipChunk(encodeReceipts(receipts)) } : {}),
  };
}

/** Pieces of the size of a chunk, in one unit each; a millisecond is never split. */
function cut(ticks: Ticks, { unitsBefore = [] }: Partial<MarketUnits> = {}): readonly Ticks[] {
  const { length, ts } = ticks.columns;
  const changes = unitsBefore.map(({ untilMs }) => firstTickAt(ticks.columns, untilMs));
  const pieces: Ticks[] = [];
  for (let from = 0; from < length; ) {
    let to = Math.min(from + CHUNK_TRADES, length);
    while (to < length && ts[to] === ts[to - 1]) to += 1;
    to = Math.min(to, ...changes.filter((change) => change > from));
    pieces.push(slice(ticks, from, to));
    from = to;
  }
  return pieces;
}

/** The trades later than a time. A millisecond is never split between chunks, so the time alone is enough. */
function after(ticks: Ticks, ts: number): Ticks {
  const { columns } = ticks;
  let from = 0;
  while (from < columns.length && (columns.ts[from] as number) <= ts) from += 1;
  return slice(ticks, from, columns.length);
}

function slice({ columns, ids, receipts }: Ticks, from: number, to: number): Ticks {
  const length = to - from;
  return {
    columns: {
      ...columns,
      length,
      ts: columns.ts.subarray(from, to),
      price: columns.price.subarray(from, to),
      size: columns.size.subarray(from, to),
      isBuy: columns.isBuy.subarray(from, to),
      sameOrder: columns.sameOrder.subarray(from, to),
    },
    ids: { length, tid: ids.tid.subarray(from, to), lateMs: ids.lateMs.subarray(from, to) },
    ...(receipts && { receipts: { length, lagMs: receipts.lagMs.subarray(from, to) } }),
  };
}

/** The released trades that a buffer does not have yet: later ones, and others of its last millisecond. */
function releasedAfter({ columns, ids }: Ticks, sealedTs: number, log: EventLog<Trade>): readonly Trade[] {
  const { length, ts } = columns;
  const lastTs = length === 0 ? sealedTs : (ts[length - 1] as number);
  const held = new Set<number>();
  for (let i = length - 1; i >= 0 && ts[i] === lastTs; i -= 1) held.add(ids.tid[i] as number);
  const released = log.read(log.seek(lastTs), log.end - log.start);
  return released.filter(
    (trade) => trade.ts > lastTs || (length > 0 && trade.ts === lastTs && !held.has(trade.tid)),
  );
}
