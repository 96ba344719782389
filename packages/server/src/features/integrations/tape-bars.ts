import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  type BarBuilder,
  checkDayBars,
  DAY_MS,
  decodePackInTurns,
  type NamedBars,
  type ResultPack,
  resumeBuilder,
  type TickColumns,
} from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import { wasSetBack } from '../../platform/set-back.ts';
import { chosenMarket } from '../candles/candle-market.ts';
import type { CandleMarket } from '../candles/candle-reader.ts';
import { foldSealed, inCoins, positionsIn } from '../candles/fold-tape.ts';
import { DayBars } from './day-bars.ts';
import type { IntegrationVisit } from './integration-page.ts';

/** Cached days and the size of their bars, over all series. */
const DAYS_MAX = 64;
const BYTES_MAX = 32 * 2 ** 20;
/** New trades of a day are read no more often than this. */
const READ_EVERY_MS = 1_000;
/** A build that takes longer is reported as still running. */
const BUILD_WAIT_MS = 20_000;
/** A bar in each second of a day fits: a larger pack is not ours. */
const PACK_BYTES_MAX = 32 * 2 ** 20;

/** Bars of a market that are made from its trades: of seconds, or not of the clock. */
export interface TapeSeries {
  readonly market: string;
  readonly bars: NamedBars;
}

/** The bars of one UTC day: built once, then continued with each new trade. */
class TapeDay {
  readonly bars: DayBars;
  readonly #startMs: number;
  #builder: BarBuilder;
  #readAtMs: number;
  /** Every trade of the day was read. */
  #isFinal = false;
  #reading: Promise<void> = Promise.resolve();

  constructor(startMs: number, { bars, state }: ResultPack, builtAtMs: number) {
    this.bars = new DayBars(startMs);
    this.#startMs = startMs;
    this.#builder = resumeBuilder(state);
    this.#readAtMs = builtAtMs;
    this.bars.add(bars, this.#builder.open);
  }

  /** Adds new trades. */
  continue(market: CandleMarket, nowMs: number): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read(market, nowMs));
    return this.#reading;
  }

  async #read(market: CandleMarket, nowMs: number): Promise<void> {
    const endMs = this.#startMs + DAY_MS;
    const isSoon = nowMs < this.#readAtMs + READ_EVERY_MS && !wasSetBack(this.#readAtMs, nowMs);
    if (this.#isFinal || isSoon) return;
    const { ts, count } = this.#builder.cursor ?? { ts: this.#startMs, count: 0 };
    let known = count;
    const taker = {
      add: (columns: TickColumns, from: number, to: number): void => {
        let first = from;
        for (; known > 0 && first < to && columns.ts[first] === ts; first += 1) known -= 1;
        if (first < to) this.#builder.add(columns, first, to);
      },
    };
    const newest = inCoins((await market.tape.unsealed(market.symbol)).columns, market.units);
    // Times on the tape never go back: none of the day follows one of a later day, however late the day was refilled.
    const isOver = (newest.ts[newest.length - 1] ?? (await newestSealedTs(market))) >= endMs;
    const sealedTs = await foldSealed(taker, market, ts, endMs);
    // Chunks sealed while reading are left out.
    taker.add(newest, ...positionsIn(newest, Math.max(ts, (sealedTs ?? -1) + 1), endMs));
    const { bars, open } = this.#builder;
    this.bars.add(bars, open);
    if (bars.length > 0) this.#builder = resumeBuilder(this.#builder.state());
    this.#readAtMs = nowMs;
    this.#isFinal = isOver;
  }
}

/** Time of the newest sealed trade of a market; 0 without one. */
async function newestSealedTs({ symbol, ticks }: CandleMarket): Promise<number> {
  const [newest] = await ticks.newestNames(symbol, 1);
  return newest?.endTs ?? 0;
}

interface Kept {
  readonly day: Promise<TapeDay>;
  /** Size of its bars, once it is built. */
  bytes: number;
}

/** Bars made from the tape, day by day. A day is built like any build, at its cost in the quota, and kept for all callers. */
export class TapeBars {
  /** The least recently used first. */
  readonly #kept = new Map<string, Kept>();
  readonly #bytesMax: number;

  constructor(bytesMax: number = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Whether the bars of a day are here. */
  has(series: TapeSeries, startMs: number): boolean {
    return this.#kept.has(keyOf(series, startMs));
  }

  /** The bars of a day that has trades, up to now. */
  async day(visit: IntegrationVisit, series: TapeSeries, startMs: number): Promise<DayBars> {
    const key = keyOf(series, startMs);
    const kept = this.#kept.get(key) ?? { day: built(visit, series, startMs), bytes: 0 };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    try {
      const day = await kept.day;
      await day.continue(await chosenMarket(visit.context, series.market), visit.context.nowMs);
      kept.bytes = day.bars.bytes;
      this.#evict();
      return day.bars;
    } catch (error) {
      // A day that cannot be continued is built again.
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
      if (error instanceof RangeError) throw new Failure('bad_request', error.message);
      throw error;
    }
  }

  #evict(): void {
    let bytes = [...this.#kept.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [key, one] of this.#kept) {
      if (this.#kept.size <= DAYS_MAX && bytes <= this.#bytesMax) return;
      bytes -= one.bytes;
      this.#kept.delete(key);
    }
  }
}

function keyOf({ market, bars }: TapeSeries, startMs: number): string {
  return `${market} ${bars.kind} ${JSON.stringify(bars.params)} ${startMs}`;
}

async function built({ rest, context }: IntegrationVisit, { market, bars }: TapeSeries, from: number) {
  const request = { market, ...bars, from, to: from + DAY_MS, degraded: false };
  const { data } = await rest.build<{ readonly jobId: string }>(request);
  const { status, error, resultKey = '', stats, submittedAt } = await rest.ended(data.jobId, BUILD_WAIT_MS);
  if (status === 'error') throw new Failure('bad_request', error ?? 'The bars cannot be built.');
  const result = status === 'done' ? await context.resources.rotations.result(resultKey) : undefined;
  if (!result) throw new Failure('overloaded', 'The bars are still being built: retry in a few seconds.');
  checkDayBars(stats?.bars ?? 0);
  const bytes = await promisify(gunzip)(result.pack, { maxOutputLength: PACK_BYTES_MAX });
  const pack = await decodePackInTurns(bytes, () => nextTurn(context.caller));
  return new TapeDay(from, pack, submittedAt);
}
