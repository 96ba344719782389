import {
  type Candle,
  CandleFold,
  createTickColumns,
  foldCandles,
  HOUR_MS,
  intervalStart,
  type MarketUnits,
  type TickColumns,
} from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import type { Store } from '../../store/store.ts';
import { candlesTopic, liquidationTopic } from '../../topics.ts';
import type { RecordedTape } from '../market-tape/market-reader.ts';
import type { RateAt } from '../rates/rate-history.ts';
import { type CandleGap, type CandleLevel, CandleTable, hourLevel, minuteLevel } from './candle-table.ts';
import { withLiquidated } from './candle-writer.ts';
import {
  type CandlePart,
  candlesOf,
  endOf,
  foldPart,
  joined,
  NewestCandles,
  newestOf,
} from './candle-parts.ts';
import { hoursWithoutCandles } from './fold-missing-hours.ts';
import { foldSealed, inCoins, positionsIn } from './fold-tape.ts';
import { MinuteLiquidations } from './minute-liquidations.ts';
import { ReadBlocks } from './read-blocks.ts';
import { firstTapeTs } from './settle-candles.ts';

/** Blocks read before yielding to the event loop: a few milliseconds. */
const BLOCKS_PER_READ = 200;

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
  /** The caller that the work is scheduled for. */
  readonly caller?: string | undefined;
}

interface UnwrittenRange extends Omit<CandleQuery, 'rateAt'> {
  /** Up to when the ledger has candles. */
  readonly foldedTo: number;
}

interface LedgerRange extends Pick<CandleQuery, 'from' | 'to' | 'caller'> {
  /** The time span of the requested candles if none is missing. */
  readonly spanMs: number;
}

export interface CandlePage {
  /** Oldest first. */
  readonly parts: readonly CandlePart[];
  /** Candles of all parts. */
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
  const table = new CandleTable(store, new ReadBlocks());

  /** Minutes that are not in the ledger yet, from trades. `open` reads the trades that are in no sealed chunk. */
  const unwritten = async (
    market: CandleMarket,
    open: () => Promise<TickColumns>,
    { foldedTo, from, to, intervalMs, limit, caller }: UnwrittenRange,
  ): Promise<readonly Candle[]> => {
    const newest = to > foldedTo ? await open() : createTickColumns(0);
    // First-run history and records of earlier versions are folded in the background.
    const isCaughtUp = bus.latest(candlesTopic)?.message.isCaughtUp;
    const start = isCaughtUp ? Math.max(foldedTo, from) : from;
    const range = { from: start, to, foldedTo, caller };
    const hours = new Set(await hoursWithoutCandles(table, market.id, market, range));
    for (let i = 0; i < newest.length; i += 1) hours.add(intervalStart(newest.ts[i]!, HOUR_MS));
    const liquidations = new MinuteLiquidations();
    if (to > foldedTo) for (const one of bus.log(liquidationTopic).since(foldedTo)) liquidations.add(one);
    const parts = new NewestCandles(intervalMs, limit);
    // The newest hours first, and only as many as needed: a first-run history has many.
    for (const hour of [...hours].toSorted((one, other) => other - one)) {
      if (parts.isEnough) break;
      const fold = new CandleFold(minuteLevel.intervalMs);
      const isFolded = hour + HOUR_MS <= foldedTo;
      const spanFrom = Math.max(isFolded ? hour : Math.max(hour, foldedTo), start);
      const spanTo = Math.min(hour + HOUR_MS, to);
      const sealedTs = await foldSealed(fold, market, spanFrom, spanTo, caller);
      // Chunks sealed while reading are left out.
      fold.add(newest, ...positionsIn(newest, Math.max(spanFrom, (sealedTs ?? -1) + 1), spanTo));
      const candles = fold.all();
      parts.add(
        isFolded
          ? candles
          : candles.map((candle) => withLiquidated(candle, liquidations.of(market.id, candle.ts))),
      );
    }
    return candlesOf(parts.all());
  };

  /** Stored candles that begin in a range: the newest block first, each oldest first. */
  async function* blocksOf(level: CandleLevel, id: string, { from, to, spanMs, caller }: LedgerRange) {
    // Usually one read is enough, and no more is decoded.
    let limit = Math.min(Math.ceil(spanMs / level.blockMs) + 1, BLOCKS_PER_READ);
    for (let end = to; ; ) {
      const blocks = await table.newestBlocks(level, id, from, end, limit);
      for (const block of blocks)
        yield block.startTs >= from && block.startTs + level.blockMs <= to
          ? block
          : block.candles.filter(({ ts }) => ts >= from && ts < to);
      const last = blocks.at(-1);
      if (!last || blocks.length < limit) return;
      end = last.startTs;
      limit = BLOCKS_PER_READ;
      await nextTurn(caller);
    }
  }

  /** The same of both levels: hours as far as they are settled. */
  async function* ledger(id: string, intervalMs: number, range: LedgerRange, hoursTo: number) {
    const { from, to } = range;
    const seam = intervalMs < HOUR_MS ? from : Math.min(to, Math.max(from, hoursTo));
    yield* blocksOf(minuteLevel, id, { ...range, from: seam });
    if (seam > from) yield* blocksOf(hourLevel, id, { ...range, to: seam });
  }

  const gapsOf = async (
    { id, symbol, coverage }: CandleMarket,
    { from, to, caller }: Pick<CandleQuery, 'from' | 'to' | 'caller'>,
    settledTo: number,
  ): Promise<readonly CandleGap[]> => {
    const old = await table.gaps(id, from, Math.min(to, settledTo), caller);
    const recent = await coverage.stretches(symbol, Math.max(from, settledTo), to);
    return [...old, ...recent.filter(({ state }) => state === 'missing' || state === 'partial')];
  };

  return {
    async read(market, { intervalMs, limit, rateAt, caller, ...range }) {
      const state = await table.state(market.id);
      let unsealed: Promise<TickColumns> | undefined;
      const open = (): Promise<TickColumns> =>
        (unsealed ??= market.tape
          .unsealed(market.symbol)
          .then(({ columns }) => inCoins(columns, market.units)));
      const tapeFrom =
        state?.tapeFrom ?? (await firstTapeTs(market.ticks, market.symbol)) ?? firstMinute(await open());
      const { settledTo = 0 } = state ?? {};
      // Before the record there are hours of the venue, whether anything is settled or not.
      const hoursTo = Math.max(settledTo, tapeFrom === undefined ? 0 : intervalStart(tapeFrom, HOUR_MS));
      const from = firstStart(range.from, intervalMs);
      const to = Math.min(firstStart(range.to, intervalMs), Number.MAX_SAFE_INTEGER);
      // The newest block first: minutes stored meanwhile are also read from the tape, and dropped there.
      const foldedTo = (await table.newest(market.id))?.toTs ?? 0;
      const fresh = await unwritten(market, open, { foldedTo, from, to, intervalMs, limit, caller });
      const spanOf = (ts: number): number =>
        intervalMs < HOUR_MS || ts >= hoursTo ? minuteLevel.intervalMs : HOUR_MS;
      const rateOf = ({ ts }: Candle): number => rateAt?.(ts, spanOf(ts)) ?? 1;
      const isMinutes = intervalMs === minuteLevel.intervalMs;
      const fold = (part: CandlePart): CandlePart =>
        isMinutes && !rateAt ? part : foldPart(part, intervalMs, rateOf);
      const parts = new NewestCandles(intervalMs, limit);
      const span = { from, to: Math.min(to, foldedTo), spanMs: limit * intervalMs, caller };
      // Minutes of the newest parts may overlap the tape; older ones are folded as they are read.
      const freshFrom = fresh[0]?.ts ?? Infinity;
      let unfolded = 0;
      for await (const part of ledger(market.id, intervalMs, span, hoursTo)) {
        const isOld = endOf(part) <= freshFrom;
        parts.add(isOld ? fold(part) : part);
        if (!isOld) unfolded += 1;
        if (parts.isEnough) break;
      }
      const stored = parts.all();
      const seam = stored.length - unfolded;
      const folded = [...stored.slice(0, seam), ...joined(stored.slice(seam), fresh).map(fold)];
      // An interval may be in two parts.
      const whole = isMinutes ? folded : [foldCandles(candlesOf(folded), intervalMs)];
      const { parts: shown, hasOlder, firstTs = from } = newestOf(whole, limit);
      const gaps = await gapsOf(market, { from: hasOlder ? firstTs : from, to, caller }, settledTo);
      return new ReadPage({ parts: shown, hasOlder, gaps, tapeFrom, settledTo });
    },
  };
}

class ReadPage implements CandlePage {
  readonly parts: readonly CandlePart[];
  readonly hasOlder: boolean;
  readonly gaps: readonly CandleGap[];
  readonly tapeFrom: number | undefined;
  readonly settledTo: number;
  #candles: readonly Candle[] | undefined;

  constructor({ parts, hasOlder, gaps, tapeFrom, settledTo }: Omit<CandlePage, 'candles'>) {
    this.parts = parts;
    this.hasOlder = hasOlder;
    this.gaps = gaps;
    this.tapeFrom = tapeFrom;
    this.settledTo = settledTo;
  }

  get candles(): readonly Candle[] {
    return (this.#candles ??= candlesOf(this.parts));
  }
}

/** The minute of the oldest trade. */
function firstMinute({ ts, length }: TickColumns): number | undefined {
  return length === 0 ? undefined : intervalStart(ts[0]!, minuteLevel.intervalMs);
}

/** The first start of an interval at or after a time. */
function firstStart(ts: number, intervalMs: number): number {
  const start = intervalStart(ts, intervalMs);
  return start === ts ? start : start + intervalMs;
}

/** Whether no gap meets `from <= ms < to`; spans must be passed oldest first. */
export function completeness(gaps: readonly CandleGap[]): (from: number, to: number) => boolean {
  const sorted = gaps.toSorted((a, b) => a.from - b.from);
  let next = 0;
  return (from, to) => {
    while (next < sorted.length && sorted[next]!.to <= from) next += 1;
    const gap = sorted[next];
    return gap === undefined || gap.from >= to;
  };
}
