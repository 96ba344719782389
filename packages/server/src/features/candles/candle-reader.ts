import {
  type Candle,
  CandleFold,
  foldCandles,
  intervalStart,
  type MarketUnits,
  withNotionalAt,
} from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { Store } from '../../store/store.ts';
import { candlesTopic, liquidationTopic } from '../../topics.ts';
import type { RecordedTape } from '../market-tape/market-reader.ts';
import type { RateAt } from '../rates/rate-history.ts';
import { type CandleGap, CandleTable, hourLevel, minuteLevel } from './candle-table.ts';
import { withLiquidated } from './candle-writer.ts';
import { hoursWithoutCandles } from './fold-missing-hours.ts';
import { foldSealed, inCoins, positionsIn } from './fold-tape.ts';
import { MinuteLiquidations } from './minute-liquidations.ts';
import { firstTapeTs } from './settle-candles.ts';

const HOUR_MS = 3_600_000;
/** Blocks read at a time. */
const BLOCKS_PER_READ = 64;

/** A market whose candles are read. */
export interface CandleMarket extends RecordedTape {
  readonly id: string;
  /** Its name on the tape. */
  readonly symbol: string;
  readonly units?: MarketUnits | undefined;
}

export interface CandleQuery {
  readonly intervalMs: number;
  /** Candles that begin in `from <= ts < to`. */
  readonly from: number;
  readonly to: number;
  /** The newest ones. */
  readonly limit: number;
  /** Converts notionals to dollars at the rate of each minute; of hours that are settled, at that of the hour. */
  readonly rateAt?: RateAt | undefined;
}

export interface CandlePage {
  /** Oldest first. */
  readonly candles: readonly Candle[];
  /** Whether there are older ones in the range. */
  readonly hasOlder: boolean;
  /** Spans where trades are or may be missing, oldest first. */
  readonly gaps: readonly CandleGap[];
  /** When the tape begins; `undefined` without a recorded trade. */
  readonly tapeFrom: number | undefined;
  /** Candles that end by then do not change any more. */
  readonly settledTo: number;
}

export interface CandleReader {
  read(market: CandleMarket, query: CandleQuery): Promise<CandlePage>;
}

/** Reads candles from the ledger, and those of the newest minutes from the tape. */
export function createCandleReader({
  store,
  bus,
}: {
  readonly store: Store;
  readonly bus: Bus;
}): CandleReader {
  const table = new CandleTable(store);

  /** Minutes that are not in the ledger yet, from trades. */
  const unwritten = async (market: CandleMarket, foldedTo: number, from: number, to: number) => {
    const fold = new CandleFold(minuteLevel.intervalMs);
    // First-run history and records of earlier versions are folded in the background.
    if (!bus.latest(candlesTopic)?.message.isCaughtUp) {
      for (const hour of await hoursWithoutCandles(table, market.id, market, from, Math.min(to, foldedTo)))
        await foldSealed(fold, market, hour, Math.min(hour + HOUR_MS, foldedTo));
    }
    if (to <= foldedTo) return fold.all();
    const { columns } = await market.tape.unsealed(market.symbol);
    const start = Math.max(foldedTo, from);
    const sealedTs = await foldSealed(fold, market, start, to);
    const open = inCoins(columns, market.units);
    // Those that were sealed while we read are left out.
    fold.add(open, ...positionsIn(open, Math.max(start, (sealedTs ?? -1) + 1), to));
    const liquidations = new MinuteLiquidations();
    for (const one of bus.log(liquidationTopic).since(foldedTo)) liquidations.add(one);
    return fold.all().map((candle) => withLiquidated(candle, liquidations.of(market.id, candle.ts)));
  };

  /** Stored candles that begin in a range, newest first, block by block. */
  async function* stored(level: typeof minuteLevel, id: string, from: number, to: number) {
    for (let end = to; ; ) {
      const blocks = await table.newestBlocks(level, id, from, end, BLOCKS_PER_READ);
      for (const { candles } of blocks) yield candles.filter(({ ts }) => ts >= from && ts < to).toReversed();
      const last = blocks.at(-1);
      if (!last || blocks.length < BLOCKS_PER_READ) return;
      end = last.startTs;
    }
  }

  /** The same of both levels: hours as far as they are settled. */
  async function* ledger(id: string, intervalMs: number, from: number, to: number, settledTo: number) {
    const seam = intervalMs < HOUR_MS ? from : Math.min(to, Math.max(from, settledTo));
    yield* stored(minuteLevel, id, seam, to);
    if (seam > from) yield* stored(hourLevel, id, from, seam);
  }

  const gapsOf = async (
    { id, symbol, coverage }: CandleMarket,
    from: number,
    to: number,
    settledTo: number,
  ): Promise<readonly CandleGap[]> => {
    const old = await table.gaps(id, from, Math.min(to, settledTo));
    const recent = await coverage.stretches(symbol, Math.max(from, settledTo), to);
    return [...old, ...recent.filter(({ state }) => state === 'missing' || state === 'partial')];
  };

  return {
    async read(market, { intervalMs, limit, rateAt, ...range }) {
      const state = await table.state(market.id);
      const tapeFrom = state?.tapeFrom ?? (await firstTapeTs(market.ticks, market.symbol));
      const { settledTo = 0 } = state ?? {};
      const from = firstStart(range.from, intervalMs);
      const to = Math.min(firstStart(range.to, intervalMs), Number.MAX_SAFE_INTEGER);
      // The newest block first: what the writer stores meanwhile is read from the tape as well, and dropped there.
      const foldedTo = (await table.newest(market.id))?.toTs ?? 0;
      const fresh = await unwritten(market, foldedTo, from, to);
      const freshTs = new Set(fresh.map(({ ts }) => ts));
      const parts: (readonly Candle[])[] = [];
      const starts = new Set(fresh.map(({ ts }) => intervalStart(ts, intervalMs)));
      for await (const part of ledger(market.id, intervalMs, from, Math.min(to, foldedTo), settledTo)) {
        parts.push(part.filter(({ ts }) => !freshTs.has(ts)));
        for (const { ts } of part) starts.add(intervalStart(ts, intervalMs));
        if (starts.size > limit) break;
      }
      const base = [...parts.flat().toReversed(), ...fresh].toSorted((a, b) => a.ts - b.ts);
      const spanOf = (ts: number): number =>
        intervalMs < HOUR_MS || ts >= settledTo ? minuteLevel.intervalMs : HOUR_MS;
      const converted = rateAt
        ? base.map((candle) => withNotionalAt(candle, rateAt(candle.ts, spanOf(candle.ts)) ?? 1))
        : base;
      const folded = foldCandles(converted, intervalMs);
      const candles = folded.slice(-limit);
      const first = candles[0]?.ts ?? from;
      const hasOlder = folded.length > limit;
      return {
        candles,
        hasOlder,
        gaps: await gapsOf(market, hasOlder ? first : from, to, settledTo),
        tapeFrom,
        settledTo,
      };
    },
  };
}

/** The first start of an interval at or after a time. */
function firstStart(ts: number, intervalMs: number): number {
  const start = intervalStart(ts, intervalMs);
  return start === ts ? start : start + intervalMs;
}

/** Whether no gap meets `from <= ms < to`, for spans that are asked for oldest first. */
export function completeness(gaps: readonly CandleGap[]): (from: number, to: number) => boolean {
  const sorted = gaps.toSorted((a, b) => a.from - b.from);
  let next = 0;
  return (from, to) => {
    while (next < sorted.length && sorted[next]!.to <= from) next += 1;
    const gap = sorted[next];
    return gap === undefined || gap.from >= to;
  };
}
