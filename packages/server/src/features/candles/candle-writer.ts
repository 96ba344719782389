import {
  CandleFold,
  type Candle,
  columnsInCoins,
  intervalStart,
  type TickColumns,
  type MarketUnits,
} from '@crosstape/core';
import type { Log } from '../../platform/log.ts';
import { marketKey } from '../../store/market-key.ts';
import type { Change } from '../../store/store.ts';
import type { CandleSink } from '../tape/tick-recorder.ts';
import type { TickTable } from '../tape/tick-table.ts';
import { type CandleTable, minuteLevel } from './candle-table.ts';
import { foldSealed, inCoins } from './fold-tape.ts';
import type { Liquidated, MinuteLiquidations } from './minute-liquidations.ts';

const { blockMs, intervalMs } = minuteLevel;

interface Writing {
  /** Start of the block in progress, and its closed minutes. */
  startTs: number;
  candles: Candle[];
  fold: CandleFold;
  isBroken: boolean;
}

export interface CandleWriterOptions {
  /** The venue in the ids of its markets. */
  readonly prefix: string;
  readonly table: CandleTable;
  readonly ticks: TickTable;
  readonly log: Log;
  readonly liquidations: Pick<MinuteLiquidations, 'of'>;
  /** Units of a market whose sizes are not in coins. */
  readonly unitsOf?: (symbol: string) => MarketUnits | undefined;
}

/**
 * Writes the candles of one venue as their minutes close: with each batch of trades that the recorder stores, in the same
 * commit. So the ledger is never ahead of the tape, and after a kill it continues from the tape.
 */
export class CandleWriter implements CandleSink {
  readonly #options: CandleWriterOptions;
  readonly #writing = new Map<string, Writing>();

  constructor(options: CandleWriterOptions) {
    this.#options = options;
  }

  /** Start of the hour being written; earlier hours are closed. */
  hourOf(symbol: string): number | undefined {
    return this.#writing.get(symbol)?.startTs;
  }

  /** The newest minute with a trade: it is stored once a later trade closes it. */
  openCandle(symbol: string): Candle | undefined {
    return this.#writing.get(symbol)?.fold.open;
  }

  async restore(symbol: string, tail: TickColumns): Promise<void> {
    const { prefix, table, ticks } = this.#options;
    const firstTs = tail.length > 0 ? tail.ts[0] : (await ticks.newest(symbol))?.endTs;
    if (firstTs === undefined) return;
    const newest = await table.newest(marketKey(prefix, symbol));
    // Hours before the tail's that have no candles yet are folded in the background.
    const fromTs = Math.max(newest?.toTs ?? 0, intervalStart(firstTs, blockMs));
    const startTs = intervalStart(fromTs, blockMs);
    const writing = newWriting(startTs);
    if (newest && newest.startTs === startTs) writing.candles = [...newest.candles];
    this.#writing.set(symbol, writing);
    const units = this.#unitsOf(symbol);
    const sealedTs = await foldSealed(
      writing.fold,
      { ticks, symbol, units },
      fromTs,
      Number.MAX_SAFE_INTEGER,
    );
    const columns = inCoins(tail, units);
    let at = 0;
    while (at < columns.length && columns.ts[at]! < Math.max(fromTs, (sealedTs ?? 0) + 1)) at += 1;
    writing.fold.add(columns, at);
  }

  fold(symbol: string, columns: TickColumns, from: number, to: number): readonly Change[] {
    if (from === to) return [];
    const first = columns.ts[from]!;
    let writing = this.#writing.get(symbol);
    if (!writing) this.#writing.set(symbol, (writing = newWriting(intervalStart(first, blockMs))));
    if (writing.isBroken) return [];
    try {
      const units = this.#unitsOf(symbol);
      if (units) writing.fold.add(columnsInCoins(slice(columns, from, to), units));
      else writing.fold.add(columns, from, to);
      return this.#closed(marketKey(this.#options.prefix, symbol), writing);
    } catch (error) {
      // A market whose figures cannot be summed must not lose its trades: its candles come from the tape.
      writing.isBroken = true;
      this.#options.log.error({ err: error, symbol }, 'candles cannot be written');
      return [];
    }
  }

  /** Stores the minutes that were closed since the last call. */
  #closed(market: string, writing: Writing): readonly Change[] {
    const { closed, open } = writing.fold;
    const openTs = open?.ts ?? writing.startTs;
    const isSameHour = openTs < writing.startTs + blockMs;
    if (closed.length === 0 && isSameHour) return [];
    const { table, liquidations } = this.#options;
    const changes: Change[] = [];
    const put = (toTs: number): void => {
      const { startTs } = writing;
      const candles = writing.candles.map((candle) =>
        withLiquidated(candle, liquidations.of(market, candle.ts)),
      );
      changes.push(table.putting(minuteLevel, market, { startTs, toTs, candles }));
    };
    const begin = (ts: number): void => {
      if (ts < writing.startTs + blockMs) return;
      if (writing.candles.length > 0) put(writing.startTs + blockMs);
      writing.startTs = intervalStart(ts, blockMs);
      writing.candles = [];
    };
    for (const candle of closed.splice(0)) {
      begin(candle.ts);
      writing.candles.push(candle);
    }
    begin(openTs);
    if (writing.candles.length > 0) put(openTs);
    return changes;
  }

  #unitsOf(symbol: string): MarketUnits | undefined {
    return this.#options.unitsOf?.(symbol);
  }
}

function newWriting(startTs: number): Writing {
  return { startTs, candles: [], fold: new CandleFold(intervalMs), isBroken: false };
}

/** Adds liquidations to the minute of a candle; a stored figure is kept if it is no longer known. */
export function withLiquidated(candle: Candle, liquidated: Liquidated | undefined): Candle {
  return liquidated ? { ...candle, liqLong: liquidated.long, liqShort: liquidated.short } : candle;
}

/** The trades [from, to) of columns. Most writes are a part of them. */
function slice(columns: TickColumns, from: number, to: number): TickColumns {
  return {
    ...columns,
    length: to - from,
    ts: columns.ts.subarray(from, to),
    price: columns.price.subarray(from, to),
    size: columns.size.subarray(from, to),
    isBuy: columns.isBuy.subarray(from, to),
    sameOrder: columns.sameOrder.subarray(from, to),
  };
}
