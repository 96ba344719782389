import {
  BadChunk,
  type BarBuilder,
  type BarSpec,
  type BuildStats,
  type Clock,
  columnsInCoins,
  createBuilder,
  decodeTicks,
  encodePack,
  firstTickAt,
  lendTicks,
  type Market,
  type MarketUnits,
  markComplete,
  type MergedStats,
  splitPayloads,
  type TickColumns,
} from '@crosstape/core';
import { BadRowError } from '../../store/bad-row.ts';
import type { Task } from '../../platform/jobs.ts';
import { throwIfGivenUp } from '../../platform/thread-tasks.ts';
import type { ChunkName, TickTable } from '../tape/tick-table.ts';
import { gzipPack } from './gzip-pack.ts';
import { type MarketTrades, type MergedMarket, MergedTape } from './merge-tapes.ts';
import { type PayloadRange, readPayloads } from './read-payloads.ts';

const CHUNKS_MAX = 1_000_000;
/** Chunks read at a time of each of several markets. */
const MEMBER_CHUNKS = 4;
/** Progress is reported for every tenth at least, as far as chunks are that small. */
const PROGRESS_STEPS = 10;

/** Input of a build, as plain data. */
export interface BuildOrder {
  /** Folder of the store with the sealed chunks; absent when only `tail` is to be used. */
  readonly folder?: string;
  readonly coin: string;
  /** The market, if not the primary venue's: recorded under its symbol, in its unit. */
  readonly market?: Market;
  readonly spec: BarSpec;
  /** `fromTs <= ts < toTs`. */
  readonly fromTs: number;
  readonly toTs: number;
  /** The newest trades. Those that are also in a sealed chunk are left out. */
  readonly tail: TickColumns;
  /** For several markets together: instead of `market` and `tail`. */
  readonly merged?: MergedOrder;
  /** Where trades are or may be missing: half open. */
  readonly gaps: BuildStats['gaps'];
}

/** Markets whose trades are merged into one tape. */
export interface MergedOrder {
  /** `perp:BTC`. */
  readonly id: string;
  readonly members: readonly MemberOrder[];
  /** Place of the market whose prices are shown. */
  readonly reference: number;
}

/** One of the markets. */
export interface MemberOrder {
  readonly id: string;
  /** Symbol on the tape. */
  readonly symbol: string;
  /** Whether it is recorded now, or will be once its venue's recording begins. */
  readonly isFollowed: boolean;
  /** For another venue than the primary: its units. */
  readonly units?: MarketUnits;
  readonly tail: TickColumns;
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
  /** The recorded trades of the primary venue, or of a market of another one. Absent when the order names no folder. */
  readonly tableOf?: (market?: string) => TickTable;
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
  const { coin, market, spec, gaps, folder } = order;
  const { clock } = tools;
  const startedMs = clock.now();
  const builder = createBuilder(spec);
  const merged = order.merged
    ? await addMerged(builder, order, order.merged, tools)
    : await addMarket(builder, order, tools);
  const open = markComplete(
    builder.bars,
    builder.open,
    gaps.map(({ from, to }) => ({ from, to: to - 1 })),
  );
  const id = order.merged?.id ?? market?.id;
  const stats: BuildStats = {
    trades: builder.trades,
    bars: builder.bars.length,
    firstTs: builder.firstTs,
    lastTs: builder.cursor?.ts ?? null,
    gaps,
    degraded: folder === undefined,
    tick: spec.tick,
    ...(id !== undefined && { market: id }),
    ...(merged && { merged }),
    buildMs: clock.now() - startedMs,
  };
  const pack = encodePack({ coin, spec, bars: builder.bars, open, state: builder.state(), stats });
  return { pack: gzipPack(pack), stats };
}

/** Adds the trades of one market. */
async function addMarket(builder: BarBuilder, order: BuildOrder, tools: BuildTools): Promise<undefined> {
  const { coin, market, fromTs, toTs } = order;
  const table = tools.tableOf?.(market?.id);
  const tail = market ? columnsInCoins(order.tail, market) : order.tail;
  const range = { coin: market?.symbol ?? coin, fromTs, toTs };
  const names = (await table?.names(range.coin, fromTs, toTs, CHUNKS_MAX)) ?? [];
  const totalTrades = tradesInWindow(names, order);
  const reportProgress = progressOf(builder, totalTrades, tools);
  let sealedTs = fromTs - 1;
  for await (const payloads of table ? readPayloads(table, range) : []) {
    for (const payload of splitPayloads(payloads)) {
      const lent = lendTicks(payload);
      const columns = market ? columnsInCoins(lent, market) : lent;
      builder.add(columns, firstTickAt(columns, fromTs), firstTickAt(columns, toTs));
      sealedTs = columns.ts[columns.length - 1] ?? sealedTs;
      reportProgress();
    }
    builder.expect(totalTrades);
    reportProgress(true);
  }
  builder.add(tail, firstTickAt(tail, Math.max(fromTs, sealedTs + 1)), firstTickAt(tail, toTs));
  return undefined;
}

/** Adds the trades of several markets as those of one tape. */
async function addMerged(
  builder: BarBuilder,
  { fromTs, toTs }: BuildOrder,
  { members, reference }: MergedOrder,
  tools: BuildTools,
): Promise<MergedStats> {
  let totalTrades = 0;
  const markets: MergedMarket[] = [];
  for (const { id, symbol, units, tail } of members) {
    const table = tools.tableOf?.(units && id);
    const names = (await table?.names(symbol, fromTs, toTs, CHUNKS_MAX)) ?? [];
    totalTrades += tradesInWindow(names, { fromTs, toTs, tail });
    const columns = columnsOf({ table, tail, units, range: { coin: symbol, fromTs, toTs } });
    markets.push({ columns, fromTs, toTs });
  }
  const reportProgress = progressOf(builder, totalTrades, tools);
  const tape = new MergedTape(markets, reference);
  for await (const columns of tape.batches()) {
    // A tenth of a week of all markets takes longer than a thread is given to end its job.
    throwIfGivenUp();
    builder.add(columns);
    reportProgress();
  }
  const { price } = tape;
  if (price === undefined) throw new RangeError(`${members[reference]!.id} has no trade in this time`);
  return {
    reference: members[reference]!.id,
    price,
    members: members.map(({ id, isFollowed }, i) => {
      const { count, cursor } = tape.markets[i]!;
      return { market: id, trades: count, cursor: isFollowed ? (cursor ?? { ts: fromTs, count: 0 }) : null };
    }),
  };
}

interface MarketColumns {
  readonly table: TickTable | undefined;
  readonly tail: TickColumns;
  readonly units: MarketUnits | undefined;
  readonly range: PayloadRange;
}

/** Recorded trades of a market, then those that are not in a sealed chunk, in coins. */
async function* columnsOf({
  table,
  tail,
  units,
  range,
}: MarketColumns): AsyncGenerator<MarketTrades, void, undefined> {
  let sealedTs = range.fromTs - 1;
  for await (const payloads of table ? readPayloads(table, range, MEMBER_CHUNKS) : []) {
    for (const payload of splitPayloads(payloads)) {
      const decoded = decodeTicks(payload);
      sealedTs = decoded.ts[decoded.length - 1] ?? sealedTs;
      yield units ? columnsInCoins(decoded, units) : decoded;
    }
  }
  const first = firstTickAt(tail, sealedTs + 1);
  const rest = {
    ...tail,
    length: tail.length - first,
    ts: tail.ts.subarray(first),
    price: tail.price.subarray(first),
    size: tail.size.subarray(first),
    isBuy: tail.isBuy.subarray(first),
  };
  yield units ? columnsInCoins(rest, units) : rest;
}

/** Reports the progress of a build, for every tenth or when forced. */
function progressOf(
  builder: BarBuilder,
  totalTrades: number,
  { report }: BuildTools,
): (isDue?: boolean) => void {
  let reportedTrades = 0;
  report({ trades: 0, totalTrades, bars: 0 });
  return (isDue = false) => {
    if (!isDue && (builder.trades - reportedTrades) * PROGRESS_STEPS < totalTrades) return;
    reportedTrades = builder.trades;
    report({ trades: reportedTrades, totalTrades, bars: builder.bars.length });
  };
}

/** The trades of the window: those of chunks at its edges by their share of the time, the others counted. */
function tradesInWindow(
  names: readonly ChunkName[],
  { fromTs, toTs, tail }: Pick<BuildOrder, 'fromTs' | 'toTs' | 'tail'>,
): number {
  let total = 0;
  for (const { startTs, endTs, trades } of names) {
    const insideMs = Math.min(endTs, toTs - 1) - Math.max(startTs, fromTs) + 1;
    total += Math.round((trades * insideMs) / (endTs - startTs + 1));
  }
  const unsealedTs = Math.max(fromTs, (names.at(-1)?.endTs ?? fromTs - 1) + 1);
  return total + Math.max(0, firstTickAt(tail, toTs) - firstTickAt(tail, unsealedTs));
}

/** Whether gunzip or the decoder reported damaged bytes. */
function isDamage(error: unknown): error is Error {
  if (error instanceof BadChunk || error instanceof BadRowError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
