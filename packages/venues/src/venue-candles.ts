import type { CandleFigure, Market, VenueCandle } from '@crosstape/core';
import { MOST, readRows } from './reading.ts';
import type { VenueRequest } from './venue.ts';

/** The intervals that are requested: both are among those of every venue. */
export type VenueInterval = '1m' | '1h';

export const venueIntervalsMs: Readonly<Record<VenueInterval, number>> = { '1m': 60_000, '1h': 3_600_000 };

/** Candles of one market that begin in `fromMs <= ts < toMs`; at most `rowsMax` of them. */
export interface CandleSpan {
  readonly market: Pick<Market, 'symbol' | 'restSymbol'>;
  readonly interval: VenueInterval;
  readonly fromMs: number;
  readonly toMs: number;
}

/** How many candles a span has at most. */
export function rowsIn({ interval, fromMs, toMs }: CandleSpan): number {
  return Math.ceil((toMs - fromMs) / venueIntervalsMs[interval]);
}

/** What one answer has of the span. */
export interface CandlePage {
  /** Intervals with a trade, oldest first. */
  readonly candles: readonly VenueCandle[];
  /** Why rows of the answer were left out. */
  readonly refused?: readonly string[];
}

/** The venue's own candles of one market. */
export interface VenueCandles {
  readonly name: 'candles';
  /** Cost of one request in the venue's own weight units. */
  readonly weight: number;
  /** Requests a minute, where the venue counts these apart from the rest. */
  readonly perMinute?: number;
  /** The most candles of one answer. */
  readonly rowsMax: number;
  /** The venue has no more than this many of the newest candles of an interval; absent: all since the listing. */
  readonly newestMax?: Readonly<Partial<Record<VenueInterval, number>>>;
  /**
   * Figures that are counted as we count them from trades, so that a difference proves a missing or wrong trade. The
   * comment of each venue says on what evidence.
   */
  readonly proves: readonly CandleFigure[];
  request(span: CandleSpan): VenueRequest;
  /** Throws as a resource does. */
  parse(body: unknown, span: CandleSpan): CandlePage;
}

export interface VenueCandlesOptions extends Omit<VenueCandles, 'name' | 'parse'> {
  /** Order of the rows of an answer. */
  readonly order: 'newestFirst' | 'oldestFirst';
  readonly rows: (body: unknown, span: CandleSpan) => readonly unknown[];
  readonly candle: (row: unknown, what: string) => VenueCandle;
}

/** Reads an answer row by row; rows outside the span and intervals without a trade are left out. */
export function venueCandles(options: VenueCandlesOptions): VenueCandles {
  const { order, rows: rowsOf, candle, ...source } = options;
  return {
    ...source,
    name: 'candles',
    parse(body, span): CandlePage {
      const list = rowsOf(body, span);
      const { rows, refused } = readRows(
        list.length,
        (i) => candle(list[i], `${span.market.symbol}[${i}]`),
        MOST,
      );
      const candles = rows.filter(
        ({ ts, volume }) => ts >= span.fromMs && ts < span.toMs && Number(volume) > 0,
      );
      if (order === 'newestFirst') candles.reverse();
      return { candles, ...(refused.length > 0 && { refused }) };
    },
  };
}
