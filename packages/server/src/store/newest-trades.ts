import { decodeIds, decodeTicks, notionalUsdOf, type Trade } from '@crosstape/core';
import { gunzipChunk } from './chunk-gzip.ts';
import type { Ticks, TickShelf } from './tick-shelf.ts';

/** Enough to recognise what a venue's back-fill repeats. */
const NEWEST_TRADES = 2_048;

/** Whose trades a chunk holds; it does not say so itself. */
export interface Owner {
  readonly coin: string;
  readonly venue: string;
}

/** The newest recorded trades of a coin, oldest first: those of its open chunk, and of the sealed one before it. */
export async function newestTrades(shelf: TickShelf, owner: Owner, open: Ticks): Promise<readonly Trade[]> {
  const { coin } = owner;
  const trades = tradesOf(owner, open);
  if (trades.length < NEWEST_TRADES) {
    const chunk = await shelf.newest(coin);
    const [ids] = chunk ? await shelf.chunkIds(coin, chunk.startTs, chunk.startTs + 1, 1) : [];
    if (chunk && ids) {
      const sealed = { columns: decodeTicks(gunzipChunk(chunk.data)), ids: decodeIds(gunzipChunk(ids.data)) };
      trades.unshift(...tradesOf(owner, sealed));
    }
  }
  return trades.slice(-NEWEST_TRADES);
}

/** Trades as objects, for the few that are needed as such. */
export function tradesOf({ coin, venue }: Owner, { columns, ids }: Ticks): Trade[] {
  const priceScale = 10 ** columns.priceDecimals;
  const sizeScale = 10 ** columns.sizeDecimals;
  return Array.from({ length: columns.length }, (_, i) => {
    const price = (columns.price[i] as number) / priceScale;
    const size = (columns.size[i] as number) / sizeScale;
    const ts = columns.ts[i] as number;
    const lateMs = ids.lateMs[i] as number;
    return {
      coin,
      venue,
      side: columns.isBuy[i] === 1 ? 'buy' : 'sell',
      price,
      size,
      notionalUsd: notionalUsdOf(price, size),
      ts,
      ...(lateMs === 0 ? {} : { venueTs: ts - lateMs }),
      tid: ids.tid[i] as number,
      sameOrder: columns.sameOrder[i] === 1,
    } as const;
  });
}
