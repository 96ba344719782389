import { constants, gzipSync } from 'node:zlib';
import {
  BadChunk,
  type BarSpec,
  type BuildStats,
  type Clock,
  createBuilder,
  createTickColumns,
  decodeTicks,
  encodePack,
  markComplete,
  packDeflate,
  type TickColumns,
} from '@crosstape/core';
import type { Task } from '../platform/jobs.ts';
import { gunzipChunk } from '../store/chunk-gzip.ts';
import type { TickShelf } from '../store/tick-shelf.ts';

/** Chunks read at a time; between two readings the build tells how far it is. */
const BATCH_CHUNKS = 16;
const CHUNKS_MAX = 1_000_000;

/** What is to be built, as plain data. */
export interface BuildOrder {
  /** Folder of the store with the sealed chunks; absent when only `tail` is to be used. */
  readonly folder?: string;
  readonly coin: string;
  readonly spec: BarSpec;
  /** `fromTs <= ts < toTs`. */
  readonly fromTs: number;
  readonly toTs: number;
  /** The newest trades. Those that are in a sealed chunk as well are left out. */
  readonly tail: TickColumns;
  /** Where trades are or may be missing: half open. */
  readonly gaps: BuildStats['gaps'];
}

export interface BuildProgress {
  readonly trades: number;
  readonly totalTrades: number;
  readonly bars: number;
}

/** The gzipped result pack, or why there is none. */
export type BuildOutcome =
  | { readonly pack: Uint8Array; readonly stats: BuildStats }
  | { readonly refused: string };

/** Builds bars on a worker; `worker.ts` exports the function. */
export const buildBarsTask: Task<BuildOrder, BuildOutcome, BuildProgress> = { name: 'buildBars' };

export interface BuildTools {
  readonly clock: Clock;
  readonly report: (progress: BuildProgress) => void;
  /** Absent when the order names no folder. */
  readonly shelf?: TickShelf;
}

/** Reads, decodes, builds and packs, without an object per trade. */
export async function buildBars(order: BuildOrder, tools: BuildTools): Promise<BuildOutcome> {
  try {
    return await build(order, tools);
  } catch (error) {
    if (isDamage(error)) return { refused: `The record is damaged: ${error.message}.` };
    // Too many bars, or trades that cannot be told exactly: the builder says so in a sentence.
    if (error instanceof RangeError) return { refused: `Nothing can be built: ${error.message}.` };
    throw error;
  }
}

async function build(order: BuildOrder, tools: BuildTools): Promise<BuildOutcome> {
  const { coin, spec, fromTs, toTs, tail, gaps, folder } = order;
  const { clock, report, shelf } = tools;
  const startedMs = clock.now();
  const builder = createBuilder(spec);
  const names = (await shelf?.names(coin, fromTs, toTs, CHUNKS_MAX)) ?? [];
  const totalTrades = names.reduce((sum, { trades }) => sum + trades, tail.length);
  const tell = (): void => report({ trades: builder.trades, totalTrades, bars: builder.bars.length });
  tell();
  let columns = createTickColumns(0);
  let nextTs = fromTs;
  while (shelf) {
    const chunks = await shelf.chunks(coin, nextTs, toTs, BATCH_CHUNKS);
    for (const { data, endTs } of chunks) {
      columns = decodeTicks(gunzipChunk(data), columns);
      builder.add(columns, firstAt(columns, nextTs), firstAt(columns, toTs));
      nextTs = endTs + 1;
    }
    tell();
    if (chunks.length < BATCH_CHUNKS) break;
  }
  builder.add(tail, firstAt(tail, nextTs), firstAt(tail, toTs));
  const open = markComplete(
    builder.bars,
    builder.open,
    gaps.map(({ from, to }) => ({ from, to: to - 1 })),
  );
  const stats: BuildStats = {
    trades: builder.trades,
    bars: builder.bars.length,
    firstTs: builder.firstTs,
    lastTs: builder.cursor?.ts ?? null,
    gaps,
    degraded: folder === undefined,
    tick: spec.tick,
    buildMs: clock.now() - startedMs,
  };
  const pack = encodePack({ coin, spec, bars: builder.bars, open, state: builder.state(), stats });
  const gzipped = gzipSync(pack, { level: packDeflate.level, strategy: constants.Z_RLE });
  return { pack: gzipped, stats };
}

/** What gunzip and the decoder say of bytes that were not written so. */
function isDamage(error: unknown): error is Error {
  if (error instanceof BadChunk) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** Index of the first trade at or after a time. */
function firstAt({ ts, length }: TickColumns, at: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ts[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
