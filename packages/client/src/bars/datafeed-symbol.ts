import {
  aggregateIdOf,
  type Aggregate,
  aggregatesOf,
  type CandleInterval,
  chartResolutions,
  type NamedBars,
  parseBarSymbol,
  parseMarketId,
  resolutionName,
  shownAt,
} from '@crosstape/core';
import type { Schemas } from '../api-types.ts';
import type { Client } from '../client.ts';

/** The part of the library's `LibrarySymbolInfo` that this datafeed provides. `ticker` is the id of the market. */
export interface DatafeedSymbol {
  readonly name: string;
  readonly ticker: string;
  readonly description: string;
  readonly type: string;
  readonly session: string;
  readonly timezone: string;
  readonly exchange: string;
  readonly listed_exchange: string;
  readonly minmov: number;
  readonly pricescale: number;
  readonly has_intraday: boolean;
  readonly has_seconds: boolean;
  readonly seconds_multipliers: readonly string[];
  readonly has_daily: boolean;
  readonly has_weekly_and_monthly: boolean;
  readonly supported_resolutions: readonly string[];
  readonly volume_precision: number;
  readonly format: string;
  readonly data_status: string;
}

type Market = Schemas['RecordedMarket'];

/** What a chart shows of a ticker at a resolution: candles, or bars made from trades. */
export type ChartSeries =
  | { readonly market: string; readonly interval: CandleInterval; readonly isAggregate: boolean }
  | { readonly market: string; readonly bars: NamedBars };

const DECIMALS = 2;
const VOLUME_DECIMALS = 5;
const words = { perp: 'perpetuals', spot: 'spot markets', all: 'perpetuals and spot markets' } as const;

/** Throws a `RangeError` for resolutions that a ticker does not have. */
export function seriesOf(ticker: string, resolution: string): ChartSeries {
  const named = parseBarSymbol(ticker);
  const market = named?.of ?? ticker;
  const isAggregate = aggregateOf(market) !== undefined;
  const name = resolutionName(resolution);
  const shown = shownAt(name);
  if (!shown || !resolutionsOf(ticker).includes(name))
    throw new RangeError(`resolution ${resolution} of ${ticker} is not served`);
  if (named) return { market, bars: named.bars };
  if ('interval' in shown) return { market, interval: shown.interval, isAggregate };
  return { market, bars: { kind: 'time', params: { intervalMs: shown.intervalMs } } };
}

/** The symbol of a name in any spelling; `undefined` if it is not recorded. */
export async function resolveSymbol(client: Client, name: string): Promise<DatafeedSymbol | undefined> {
  const named = parseBarSymbol(name);
  // The service accepts every spelling of a market.
  const { meta } = await client.get('/candles', { market: named?.of ?? name, limit: 1 });
  const { data: markets } = await client.get('/markets/recorded', {});
  const found = markets.find(({ market }) => market === (meta.reference ?? meta.market));
  const aggregate = aggregateOf(meta.market);
  if (!found || (named && aggregate)) return undefined;
  if (aggregate) return aggregateSymbol(aggregate, found.tick);
  return withSuffix(marketSymbol(found), named?.suffix);
}

/** Symbols whose id contains a text; `BTC.RANGE50` finds the bars of every market that `BTC` finds. */
export async function findSymbols(client: Client, text: string): Promise<readonly DatafeedSymbol[]> {
  const named = parseBarSymbol(text);
  const { data: markets } = await client.get('/markets/recorded', {});
  const all = [
    ...markets.map((market) => withSuffix(marketSymbol(market), named?.suffix)),
    ...(named ? [] : aggregatesOf(markets).map((one) => aggregateSymbol(one, null))),
  ];
  const wanted = (named?.of ?? text).toLowerCase();
  return all.filter(({ ticker }) => ticker.toLowerCase().includes(wanted));
}

function aggregateOf(market: string): Aggregate | undefined {
  const named = parseMarketId(market, []);
  return named.type === 'aggregate' ? named : undefined;
}

function resolutionsOf(ticker: string): readonly string[] {
  if (parseBarSymbol(ticker)) return chartResolutions.bars;
  return chartResolutions[aggregateOf(ticker) ? 'aggregate' : 'market'];
}

function marketSymbol({ market, venue, kind, symbol, coin, quote, tick }: Market): DatafeedSymbol {
  const description = `${coin}/${quote} ${kind === 'perp' ? 'perpetual' : 'spot'}, ${venue}`;
  return symbolOf({ name: symbol, ticker: market, description, kind, venue, tick });
}

function aggregateSymbol(aggregate: Aggregate, tick: number | null): DatafeedSymbol {
  const { scope, coin } = aggregate;
  const description = `${coin} ${words[scope]} of every recorded venue`;
  const kind = scope === 'spot' ? 'spot' : 'perp';
  const ticker = aggregateIdOf(aggregate);
  return symbolOf({ name: ticker, ticker, description, kind, venue: 'all', tick });
}

function withSuffix(symbol: DatafeedSymbol, suffix: string | undefined): DatafeedSymbol {
  if (suffix === undefined) return symbol;
  const ticker = symbol.ticker + suffix;
  const description = `${symbol.description}, ${suffix.slice(1)} bars`;
  return { ...symbol, ...featuresOf(ticker), name: symbol.name + suffix, ticker, description };
}

function featuresOf(ticker: string) {
  const resolutions = resolutionsOf(ticker);
  const hasDays = resolutions.includes('1D');
  return {
    has_intraday: true,
    has_seconds: resolutions.includes('1S'),
    seconds_multipliers: resolutions.filter((one) => one.endsWith('S')).map((one) => one.slice(0, -1)),
    has_daily: hasDays,
    has_weekly_and_monthly: hasDays,
    supported_resolutions: resolutions,
  };
}

function symbolOf({
  name,
  ticker,
  description,
  kind,
  venue,
  tick,
}: {
  readonly name: string;
  readonly ticker: string;
  readonly description: string;
  readonly kind: Market['kind'];
  readonly venue: string;
  readonly tick: number | null;
}): DatafeedSymbol {
  const decimals = tick === null ? DECIMALS : Math.max(0, Math.ceil(-Math.log10(tick)));
  return {
    name,
    ticker,
    description,
    type: kind === 'perp' ? 'swap' : 'crypto',
    session: '24x7',
    timezone: 'Etc/UTC',
    exchange: venue,
    listed_exchange: venue,
    minmov: 1,
    pricescale: 10 ** decimals,
    ...featuresOf(ticker),
    volume_precision: VOLUME_DECIMALS,
    format: 'price',
    data_status: 'streaming',
  };
}
