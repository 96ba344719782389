import {
  type CandleInterval,
  candleIntervalsMs,
  type CandleRow,
  chartResolutions,
  intervalStart,
  type NamedBars,
  parseBarSymbol,
  resolutionName,
  shownAt,
  validateSpec,
} from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import { AGGREGATE, marketOfTicker } from './market.ts';
import { type IntegrationVisit, readCandlePages, wholeParam } from './integration-page.ts';

/** A parsed chart symbol. */
export interface UdfSymbol {
  readonly market: string;
  /** For a symbol like `HYPERLIQUID:BTC.RANGE50`. */
  readonly bars?: NamedBars;
  /** The end of the symbol that names the bars. */
  readonly suffix: string;
  readonly resolutions: readonly string[];
}

/** Throws a `Failure` for an invalid symbol. */
export function symbolOf(
  { params, context }: IntegrationVisit,
  ticker = params.get('symbol') ?? '',
): UdfSymbol {
  const named = parseBarSymbol(ticker);
  const text = named?.of ?? ticker;
  const market = marketOfTicker(text, context.resources.primaryVenue);
  const isAggregate = text.toUpperCase().startsWith(`${AGGREGATE}:`);
  // All markets of a coin together have no tape of their own.
  const isInvalid = market !== undefined && context.resources.markets?.read(market).type === 'invalid';
  if (market === undefined || isInvalid || (named && isAggregate))
    throw new Failure('not_found', 'unknown_symbol');
  if (!named)
    return { market, suffix: '', resolutions: chartResolutions[isAggregate ? 'aggregate' : 'market'] };
  const { bars, suffix } = named;
  const check = validateSpec(bars.kind, bars.params, 1);
  if ('error' in check) throw new Failure('bad_request', check.error);
  return { market, bars, suffix, resolutions: chartResolutions.bars };
}

/** A range of the bars of a symbol, in ms; `to` is not included. */
export interface UdfRange {
  readonly market: string;
  readonly from: number;
  readonly to: number;
  /** Either candles of the ledger, or bars that are made from trades. */
  readonly series: { readonly interval: CandleInterval } | { readonly bars: NamedBars };
}

export function rangeOf(visit: IntegrationVisit): UdfRange {
  const { params } = visit;
  const { market, bars, resolutions } = symbolOf(visit);
  const resolution = resolutionName(params.get('resolution') ?? '');
  const shown = shownAt(resolution);
  if (!shown || !resolutions.includes(resolution))
    throw new Failure('bad_request', `resolution must be one of ${resolutions.join(', ')}`);
  const from = wholeParam(params, 'from');
  const to = wholeParam(params, 'to');
  if (from === undefined || to === undefined) throw new Failure('bad_request', 'from and to are required');
  if (from > to) throw new Failure('bad_request', 'from must not be greater than to');
  const range = { market, from: from * 1_000, to: to * 1_000 };
  if (bars) return { ...range, series: { bars } };
  if ('interval' in shown) return { ...range, series: shown };
  return { ...range, series: { bars: { kind: 'time', params: { intervalMs: shown.intervalMs } } } };
}

/** The newest `limit` candles that begin before a time, which is rounded up so that charts of one symbol share an answer. */
export async function candlesBefore(
  visit: IntegrationVisit,
  { market, interval, limit }: { market: string; interval: CandleInterval; limit: number },
  to: number,
): Promise<readonly CandleRow[]> {
  const intervalMs = candleIntervalsMs[interval];
  const end = intervalStart(to - 1, intervalMs) + intervalMs;
  return readCandlePages(visit, { market, interval, end }, limit);
}
