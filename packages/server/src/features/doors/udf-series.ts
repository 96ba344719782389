import {
  type CandleInterval,
  candleIntervalsMs,
  type CandleRow,
  intervalStart,
  type NamedBars,
  parseBarSymbol,
  validateSpec,
} from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import { AGGREGATE, marketOfTicker } from './door-market.ts';
import { type DoorVisit, wholeParam } from './door-page.ts';

/** Resolutions of charts and the candles behind them. */
const intervals: Readonly<Record<string, CandleInterval>> = {
  '1': '1m',
  '3': '3m',
  '5': '5m',
  '15': '15m',
  '30': '30m',
  '60': '1h',
  '120': '2h',
  '240': '4h',
  '360': '6h',
  '480': '8h',
  '720': '12h',
  '1D': '1d',
  '1W': '1w',
};
/** Resolutions of seconds, in ms: their bars are made from trades. */
const secondsMs: Readonly<Record<string, number>> = { '1S': 1_000, '5S': 5_000, '15S': 15_000 };

const ofCandles = Object.keys(intervals);
/** Bars that are not of the clock are given one time each, in whole seconds. */
const ofBars = ['1S'];
export const allResolutions = [...Object.keys(secondsMs), ...ofCandles];

/** What a symbol of a chart names. */
export interface UdfSymbol {
  readonly market: string;
  /** Of a symbol like `HYPERLIQUID:BTC.RANGE50`. */
  readonly bars?: NamedBars;
  /** The end of the symbol that names the bars. */
  readonly suffix: string;
  readonly resolutions: readonly string[];
}

/** Throws a `Failure` for what is no symbol. */
export function symbolOf({ params, context }: DoorVisit, ticker = params.get('symbol') ?? ''): UdfSymbol {
  const named = parseBarSymbol(ticker);
  const text = named?.of ?? ticker;
  const market = marketOfTicker(text, context.resources.primaryVenue);
  const isAggregate = text.toUpperCase().startsWith(`${AGGREGATE}:`);
  // All markets of a coin together have no tape of their own.
  if (market === undefined || (named && isAggregate)) throw new Failure('not_found', 'unknown_symbol');
  if (!named) return { market, suffix: '', resolutions: isAggregate ? ofCandles : allResolutions };
  const { bars, suffix } = named;
  const check = validateSpec(bars.kind, bars.params, 1);
  if ('error' in check) throw new Failure('bad_request', check.error);
  return { market, bars, suffix, resolutions: ofBars };
}

/** A range of the bars of a symbol, in ms; `to` is not included. */
export interface UdfRange {
  readonly market: string;
  readonly from: number;
  readonly to: number;
  /** Either candles of the ledger, or bars that are made from trades. */
  readonly series: { readonly interval: CandleInterval } | { readonly bars: NamedBars };
}

export function rangeOf(visit: DoorVisit): UdfRange {
  const { params } = visit;
  const { market, bars, resolutions } = symbolOf(visit);
  const text = (params.get('resolution') ?? '').toUpperCase();
  const resolution = ['D', 'W', 'S'].includes(text) ? `1${text}` : text;
  if (!resolutions.includes(resolution))
    throw new Failure('bad_request', `resolution must be one of ${resolutions.join(', ')}`);
  const from = wholeParam(params, 'from');
  const to = wholeParam(params, 'to');
  if (from === undefined || to === undefined) throw new Failure('bad_request', 'from and to are required');
  if (from > to) throw new Failure('bad_request', 'from must not be greater than to');
  const intervalMs = secondsMs[resolution];
  const interval = intervals[resolution] ?? '1m';
  const ofSeconds = intervalMs === undefined ? undefined : { kind: 'time', params: { intervalMs } };
  const made = bars ?? ofSeconds;
  return { market, from: from * 1_000, to: to * 1_000, series: made ? { bars: made } : { interval } };
}

/** The newest `limit` candles that begin before a time, which is rounded up so that charts of one symbol share an answer. */
export async function candlesBefore(
  { rest }: DoorVisit,
  { market, interval, limit }: { market: string; interval: CandleInterval; limit: number },
  to: number,
): Promise<readonly CandleRow[]> {
  const intervalMs = candleIntervalsMs[interval];
  const end = intervalStart(to - 1, intervalMs) + intervalMs;
  return (await rest.get<readonly CandleRow[]>('/candles', { market, interval, end, limit })).data;
}
