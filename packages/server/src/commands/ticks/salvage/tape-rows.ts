import { decodeIds, decodeReceipts, decodeTicks, type IdColumns, type TickColumns } from '@crosstape/core';
import { isOfMarket } from '../../../features/tape/audit-ticks.ts';
import { gunzipChunk } from '../../../features/tape/chunk-gzip.ts';
import type { Fits, FoundRow } from '../../../store/damaged-file.ts';
import type { Gap, TapeSpan } from '../../../features/tape/gap-ledger.ts';
import { type ChunkName, decodePiece, type Ticks } from '../../../features/tape/tick-table.ts';

/** The name in the key of a chunk or its ids, with the market's id as `coin`; `undefined` if invalid. */
export function chunkName({ key }: FoundRow): ChunkName | undefined {
  const [coin, startTs, endTs, trades] = key;
  const isName = key.length === 4 && isMarket(coin) && [startTs, endTs, trades].every(Number.isSafeInteger);
  return isName
    ? { coin, startTs: startTs as number, endTs: endTs as number, trades: trades as number }
    : undefined;
}

/** The trades of a chunk; `undefined` if they do not match its key. */
export async function readChunk(row: FoundRow): Promise<TickColumns | undefined> {
  const name = chunkName(row);
  if (!name) return undefined;
  return orNothing(async () => {
    const columns = decodeTicks(gunzipChunk(await row.read()));
    const { length, ts } = columns;
    const isWhole = length === name.trades && ts[0] === name.startTs && ts[length - 1] === name.endTs;
    return isWhole ? columns : undefined;
  });
}

export async function readIds(row: FoundRow): Promise<IdColumns | undefined> {
  const name = chunkName(row);
  if (!name) return undefined;
  return orNothing(async () => {
    const ids = decodeIds(gunzipChunk(await row.read()));
    return ids.length === name.trades ? ids : undefined;
  });
}

/** The stored receive times of a chunk; `undefined` if their number does not match its key. */
export async function readReceipts(row: FoundRow): Promise<Uint8Array | undefined> {
  const name = chunkName(row);
  if (!name) return undefined;
  return orNothing(async () => {
    const member = await row.read();
    return decodeReceipts(gunzipChunk(member)).length === name.trades ? member : undefined;
  });
}

/** A tail piece of a coin. */
export async function readPiece(row: FoundRow): Promise<Ticks | undefined> {
  const [coin, position] = row.key;
  if (row.key.length !== 2 || !isMarket(coin) || !Number.isSafeInteger(position)) return undefined;
  return orNothing(async () => {
    const ticks = decodePiece(await row.read());
    return ticks.columns.length > 0 && ticks.columns.length === ticks.ids.length ? ticks : undefined;
  });
}

/** A gap, with the market's id as `coin`. */
export async function readGap(row: FoundRow): Promise<Gap | undefined> {
  const gap = await readJson<Gap>(row);
  const [market, from] = row.key;
  const parts = gap?.late ? 3 : 2;
  if (!gap || row.key.length !== parts || !isOfMarket(gap, market) || gap.from !== from) return undefined;
  const isWhole = gap.from < gap.to && ['refilled', 'partial', 'missing'].includes(gap.state);
  return isWhole ? { ...gap, coin: String(market) } : undefined;
}

export async function readSpan(row: FoundRow): Promise<(TapeSpan & { readonly venue: string }) | undefined> {
  const span = await readJson<TapeSpan>(row);
  const [venue, from] = row.key;
  if (!span || row.key.length !== 2 || typeof venue !== 'string' || isMarket(venue) || span.from !== from)
    return undefined;
  return span.from <= span.to ? { ...span, venue } : undefined;
}

function isMarket(part: unknown): part is string {
  return typeof part === 'string' && part.includes(':');
}

/** Whether `read` accepts a row. */
export function fitting(read: (row: FoundRow) => Promise<unknown>): Fits {
  return async (row) => (await read(row)) !== undefined;
}

async function readJson<Value extends object>(row: FoundRow): Promise<Value | undefined> {
  return orNothing(async () => {
    const value: unknown = JSON.parse(Buffer.from(await row.read()).toString());
    return typeof value === 'object' && value !== null ? (value as Value) : undefined;
  });
}

/** Any error of a damaged row means that it is not readable. */
async function orNothing<Result>(read: () => Promise<Result | undefined>): Promise<Result | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
