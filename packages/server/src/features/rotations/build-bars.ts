import {
  BadChunk,
  type BarSpec,
  type BuildStats,
  type Clock,
  columnsInCoins,
  createBuilder,
  encodePack,
  firstTickAt,
  lendTicks,
  type Market,
  markComplete,
  splitPayloads,
  type TickColumns,
} from '@crosstape/core';
import { BadRowError } from '../../store/bad-row.ts';
import type { Task } from '../../platform/jobs.ts';
import type { ChunkName, TickTable } from '../tape/tick-table.ts';
import { gzipPack } from './gzip-pack.ts';
import { readPayloads } from './read-payloads.ts';

const CHUNKS_MAX = 1_000_000;
/** Progress is reported for every tenth at least, as far as chunks are that small. */
const PROGRESS_STEPS = 10;

/** What is to be built, as plain data. */
export interface BuildOrder {
  /** Folder of the store with the sealed chunks; absent when only `tail` is to be used. */
  readonly folder?: string;
  readonly coin: string;
  /** Whose trades, where these are not the primary venue's: recorded under its symbol, in its unit. */
  readonly market?: Market;
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
  readonly table?: TickTable;
}

/** Reads, decodes, builds and packs, without an object per trade. */
export async function buildBars(order: BuildOrder, tools: BuildTools): Promise<BuildOutcome> {
  try {
    return await build(order, tools);
  } catch (error) {
    if (isDamage(error)) return { refused: `The record is damaged: ${error.message}.` };
    // Too many bars, or trades that cannot be represented exactly: the builder's error says so.
    if (error instanceof RangeError) return { refused: `Nothing can be built: ${error.message}.` };
    throw error;
  }
}

async function build(order: BuildOrder, tools: BuildTools): Promise<BuildOutcome> {
  const { coin, market, spec, fromTs, toTs, gaps, folder } = order;
  const { clock, report, table } = tools;
  const startedMs = clock.now();
  const builder = createBuilder(spec);
  const tail = market ? columnsInCoins(order.tail, market) : order.tail;
  const range = { coin: market?.symbol ?? coin, fromTs, toTs };
  const names = (await table?.names(range.coin, fromTs, toTs, CHUNKS_MAX)) ?? [];
  const totalTrades = tradesInWindow(names, order);
  let reportedTrades = 0;
  const reportProgress = (): void => {
    reportedTrades = builder.trades;
    report({ trades: reportedTrades, totalTrades, bars: builder.bars.length });
  };
  reportProgress();
  let sealedTs = fromTs - 1;
  for await (const payloads of table ? readPayloads(table, range) : []) {
    for (const payload of splitPayloads(payloads)) {
      const lent = lendTicks(payload);
      const columns = market ? columnsInCoins(lent, market) : lent;
      builder.add(columns, firstTickAt(columns, fromTs), firstTickAt(columns, toTs));
      sealedTs = columns.ts[columns.length - 1] ?? sealedTs;
      if ((builder.trades - reportedTrades) * PROGRESS_STEPS >= totalTrades) reportProgress();
    }
    builder.expect(totalTrades);
    reportProgress();
  }
  builder.add(tail, firstTickAt(tail, Math.max(fromTs, sealedTs + 1)), firstTickAt(tail, toTs));
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
    ...(market && { market: market.id }),
    buildMs: clock.now() - startedMs,
  };
  const pack = encodePack({ coin, spec, bars: builder.bars, open, state: builder.state(), stats });
  return { pack: gzipPack(pack), stats };
}

/** The trades of the window: those of chunks at its edges by their share of the time, the others counted. */
function tradesInWindow(names: readonly ChunkName[], { fromTs, toTs, tail }: BuildOrder): number {
  let total = 0;
  for (const { startTs, endTs, trades } of names) {
    const insideMs = Math.min(endTs, toTs - 1) - Math.max(startTs, fromTs) + 1;
    total += Math.round((trades * insideMs) / (endTs - startTs + 1));
  }
  const unsealedTs = Math.max(fromTs, (names.at(-1)?.endTs ?? fromTs - 1) + 1);
  return total + Math.max(0, firstTickAt(tail, toTs) - firstTickAt(tail, unsealedTs));
}

/** What gunzip and the decoder say of bytes that were not written so. */
function isDamage(error: unknown): error is Error {
  if (error instanceof BadChunk || error instanceof BadRowError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
