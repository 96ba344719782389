import { columnsInCoins, decodeIds, decodeTicks, type MarketUnits, type Trade } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { EventLog } from '../../platform/event-log.ts';
import { gunzipChunk } from './chunk-gzip.ts';
import type { Ticks } from './tick-table.ts';
import type { PageChunk, TapeReader } from './tape-reader.ts';

const CHUNKS_PER_PAGE = 8;

/** A chunk without its first trades. */
export interface TailChunk {
  readonly chunk: PageChunk;
  readonly skip: number;
}

/** The tape from a time on, up to where the bus carries on. */
export interface TapeTail {
  readonly chunks: readonly TailChunk[];
  readonly trades: number;
  /** Position in the bus's log of the first trade after them. */
  readonly position: number;
}

/** Where the tape is read from. */
export interface TapeSources {
  readonly tape: TapeReader;
  readonly bus: Bus;
}

/**
 * Visits the recorded trades with `ts >= fromTs`, chunk by chunk. Returns the position in the bus's log from which the
 * rest follows without gap or repeat, however many were released while this was reading.
 */
export async function walkTape(
  { tape, bus }: TapeSources,
  coin: string,
  fromTs: number,
  visit: (chunk: TailChunk) => Promise<void> | void,
): Promise<number> {
  let last: PageChunk | undefined;
  for (let from: number | undefined = fromTs; from !== undefined; ) {
    const { chunks, nextStart } = await tape.page({
      coin,
      fromTs: from,
      toTs: Number.MAX_SAFE_INTEGER,
      chunksMax: CHUNKS_PER_PAGE,
      withIds: true,
    });
    for (const chunk of chunks) await visit({ chunk, skip: tradesBefore(chunk, from) });
    last = chunks.at(-1) ?? last;
    from = nextStart;
  }
  // Recorded trades were published before, but may not have arrived here yet.
  const topic = tape.topicOf(coin);
  await bus.settled(topic);
  return positionAfter(bus.log(topic), last, fromTs);
}

/** As above, in one piece. */
export async function readTapeTail(sources: TapeSources, coin: string, fromTs: number): Promise<TapeTail> {
  const chunks: TailChunk[] = [];
  const position = await walkTape(sources, coin, fromTs, (chunk) => void chunks.push(chunk));
  const trades = chunks.reduce((sum, { chunk, skip }) => sum + chunk.trades - skip, 0);
  return { chunks, trades, position };
}

/** The trades of a chunk with their ids; those in units of a market as coins. */
export function ticksOf({ data, ids }: PageChunk, units?: MarketUnits): Ticks {
  if (!ids) throw new Error('a chunk was read without its ids');
  const columns = decodeTicks(gunzipChunk(data));
  return { columns: units ? columnsInCoins(columns, units) : columns, ids: decodeIds(gunzipChunk(ids)) };
}

/** How many trades of a chunk are older; it is decoded only if there are any. */
function tradesBefore(chunk: PageChunk, ts: number): number {
  if (chunk.startTs >= ts) return 0;
  const { columns } = ticksOf(chunk);
  let count = 0;
  while (count < columns.length && (columns.ts[count] as number) < ts) count += 1;
  return count;
}

/** A page has everything released when it was read, so its last trade is near the log's end. */
function positionAfter(log: EventLog<Trade>, last: PageChunk | undefined, fromTs: number): number {
  const lastTs = last?.endTs ?? fromTs;
  const ids = last && ticksOf(last).ids;
  const lastTid = ids?.tid[ids.length - 1];
  let position = log.end;
  for (; position > log.start; position -= 1) {
    const trade = log.at(position - 1) as Trade;
    if (trade.ts < lastTs || (trade.ts === lastTs && trade.tid === lastTid)) break;
  }
  return position;
}
