import { decodeIds, decodeReceipts, decodeTicks } from '@crosstape/core';
import { gunzipChunk } from '../../features/tape/chunk-gzip.ts';
import type { Change } from '../../store/store.ts';
import { TickBuffer } from '../../features/tape/tick-buffer.ts';
import type { ChunkName, Ticks, TickTable } from '../../features/tape/tick-table.ts';

const CHUNKS_MAX = 1_000_000;
const FOREVER = Number.MAX_SAFE_INTEGER;

/** The time range of an import: from its first to its last trade. */
export interface ImportRange {
  readonly coin: string;
  readonly firstTs: number;
  readonly lastTs: number;
}

/** Position of imported trades among the recorded ones. */
export interface ImportPlace {
  /** Recorded trades rewritten around the imported ones. */
  readonly before: Ticks;
  readonly after: Ticks;
  /** Recorded trades that stay, but may duplicate imported ones. */
  readonly neighbours: { readonly before: Ticks; readonly after: Ticks };
  /** Removes the rewritten trades. */
  readonly removing: readonly Change[];
  /** Position of the next tail piece. */
  readonly position: number;
  /** Where trades that do not fill a chunk go. */
  readonly rest: 'chunk' | 'tail';
}

/** Finds the position of an import; throws if there are recorded trades in its range. */
export async function findPlace(table: TickTable, range: ImportRange): Promise<ImportPlace> {
  const { coin, firstTs, lastTs } = range;
  const tail = new TickBuffer();
  const pieces = await table.tail(coin);
  for (const piece of pieces) tail.addTicks(piece);
  const position = (pieces.at(-1)?.position ?? 0) + 1;

  const names = await table.names(coin, firstTs, lastTs + 1, CHUNKS_MAX);
  const [around] = names;
  const chunk = around ? await readChunk(table, around) : new TickBuffer();
  // Two chunks that overlap the range have trades in it; a single one may surround it.
  if (names.length > 1 || hasAny(chunk, range) || hasAny(tail, range))
    throw await overlapOf(table, range, tail);

  if (around) {
    const parts = partsOf(chunk, range);
    return { ...parts, neighbours: noNeighbours, removing: table.unsealing(around), position, rest: 'chunk' };
  }
  const previous = (await table.names(coin, 0, firstTs, CHUNKS_MAX)).at(-1);
  const before = previous ? await readChunk(table, previous) : new TickBuffer();
  if (tail.length > 0 && (tail.columns.ts[0] as number) < firstTs) {
    const removing = [
      table.dropping(
        coin,
        pieces.map((piece) => piece.position),
      ),
    ];
    const neighbours = { before, after: new TickBuffer() };
    return { ...partsOf(tail, range), neighbours, removing, position, rest: 'tail' };
  }
  const [next] = await table.names(coin, lastTs + 1, FOREVER, 1);
  const after = next ? await readChunk(table, next) : tail;
  const rest = after.length === 0 ? 'tail' : 'chunk';
  return {
    before: new TickBuffer(),
    after: new TickBuffer(),
    neighbours: { before, after },
    removing: [],
    position,
    rest,
  };
}

const noNeighbours = { before: new TickBuffer(), after: new TickBuffer() };

async function readChunk(table: TickTable, { coin, startTs }: ChunkName): Promise<TickBuffer> {
  const [chunk] = await table.chunks(coin, startTs, startTs + 1, 1);
  const [ids] = await table.chunkIds(coin, startTs, startTs + 1, 1);
  const [receipts] = await table.chunkReceipts(coin, startTs, startTs + 1, 1);
  if (!chunk || !ids)
    throw new Error(`the chunk of ${coin} at ${startTs} is damaged; run crosstape ticks verify`);
  const buffer = new TickBuffer();
  buffer.addTicks({
    columns: decodeTicks(gunzipChunk(chunk.data)),
    ids: decodeIds(gunzipChunk(ids.data)),
    ...(receipts && { receipts: decodeReceipts(gunzipChunk(receipts.data)) }),
  });
  return buffer;
}

/** Index of the first trade at or after a time. */
function indexAt({ columns: { ts, length } }: Ticks, atTs: number): number {
  let i = 0;
  while (i < length && (ts[i] as number) < atTs) i += 1;
  return i;
}

function hasAny(ticks: Ticks, { firstTs, lastTs }: ImportRange): boolean {
  return indexAt(ticks, firstTs) < indexAt(ticks, lastTs + 1);
}

function partsOf(ticks: Ticks, { firstTs, lastTs }: ImportRange): { before: Ticks; after: Ticks } {
  const before = new TickBuffer();
  const after = new TickBuffer();
  before.addTicks(ticks, 0, indexAt(ticks, firstTs));
  after.addTicks(ticks, indexAt(ticks, lastTs + 1));
  return { before, after };
}

/** The time range of the conflicting recorded trades, in words. */
async function overlapOf(table: TickTable, range: ImportRange, tail: Ticks): Promise<Error> {
  const { coin, firstTs, lastTs } = range;
  const names = await table.names(coin, firstTs, lastTs + 1, CHUNKS_MAX);
  const ends = [names[0], names.at(-1)].flatMap((name) => name ?? []);
  const edges = await Promise.all(ends.map((name) => readChunk(table, name)));
  const times = [...edges, tail].flatMap(({ columns: { ts, length } }) =>
    [...ts.subarray(0, length)].filter((at) => at >= firstTs && at <= lastTs),
  );
  const [from, to] = [times[0] as number, times.at(-1) as number];
  return new Error(
    `${coin} has recorded trades from ${iso(from)} to ${iso(to)}, and the file covers ${iso(firstTs)} to ${iso(lastTs)}; nothing is imported over what is recorded (--from and --to choose a part of the file)`,
  );
}

function iso(ts: number): string {
  return new Date(ts).toISOString();
}
