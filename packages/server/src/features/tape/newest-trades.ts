import { decodeIds, decodeTicks, notionalUsdOf, type Trade } from '@crosstape/core';
import { gunzipChunk } from './chunk-gzip.ts';
import type { Ticks, TickTable } from './tick-table.ts';

/** Minimum number of trades, however old: a venue repeats its last few trades on every subscription. */
const KNOWN_MIN = 256;
/** No more are returned. */
const KNOWN_MAX = 2_048;

/** The market of a chunk, which does not contain it. */
export interface Owner {
  readonly coin: string;
  readonly venue: string;
}

/**
 * The newest recorded trades of a coin, oldest first: those of its open chunk, and of as many sealed ones as needed.
 */
export async function newestTrades(table: TickTable, owner: Owner, open: Ticks): Promise<readonly Trade[]> {
  const { coin } = owner;
  let known = open.columns.length;
  // A coin that hardly trades seals a chunk of a few trades every hour. None is empty, so this many are always enough.
  const names = known < KNOWN_MIN ? await table.newestNames(coin, KNOWN_MIN) : [];
  const needed = names.filter(({ trades }) => {
    const isNeeded = known < KNOWN_MIN;
    known += trades;
    return isNeeded;
  });
  const oldest = needed.at(-1);
  const sealed = oldest ? await sealedSince(table, owner, oldest.startTs, needed.length) : [];
  return [...sealed, ...tradesOf(owner, open)].slice(-KNOWN_MAX);
}

async function sealedSince(table: TickTable, owner: Owner, startTs: number, chunksMax: number) {
  const range = [owner.coin, startTs, Number.MAX_SAFE_INTEGER, chunksMax] as const;
  const ids = new Map((await table.chunkIds(...range)).map((own) => [own.startTs, own.data]));
  return (await table.chunks(...range)).flatMap(({ startTs: at, data }): Trade[] => {
    const own = ids.get(at);
    if (!own) return [];
    return tradesOf(owner, { columns: decodeTicks(gunzipChunk(data)), ids: decodeIds(gunzipChunk(own)) });
  });
}

/** Trades as objects, for the few that are needed as such. */
export function tradesOf({ coin, venue }: Owner, { columns, ids, receipts }: Ticks): Trade[] {
  const priceScale = 10 ** columns.priceDecimals;
  const sizeScale = 10 ** columns.sizeDecimals;
  return Array.from({ length: columns.length }, (_, i) => {
    const price = (columns.price[i] as number) / priceScale;
    const size = (columns.size[i] as number) / sizeScale;
    const ts = columns.ts[i] as number;
    const lateMs = ids.lateMs[i] as number;
    const recvLagMs = receipts?.lagMs[i];
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
      ...(recvLagMs === undefined || Number.isNaN(recvLagMs) ? {} : { recvLagMs }),
    } as const;
  });
}
