import {
  type Aggregate,
  aggregatesOf,
  type CandleRow,
  chartResolutions,
  parseBarSymbol,
  parseMarketId,
} from '@crosstape/core';
import type { Page } from '../../http/route.ts';
import { Failure } from '../../platform/errors.ts';
import { mapBounded } from '../../platform/map-bounded.ts';
import type { RestOptions } from '../mcp/rest.ts';
import { AGGREGATE, aggregateTicker, type ListedMarket, listMarkets, tickerOf } from './market.ts';
import {
  integrationPage,
  type IntegrationPageOptions,
  type IntegrationQuery,
  type IntegrationVisit,
  nowherePages,
  wholeParam,
} from './integration-page.ts';
import type { TapeBars } from './tape-bars.ts';
import { readHistory } from './udf-history.ts';
import { readMarks } from './udf-marks.ts';
import { symbolOf } from './udf-series.ts';

const SEARCH_MAX = 200;
const SEARCH_DEFAULT = 30;
const QUOTES_MAX = 50;
const QUOTES_AT_ONCE = 4;
const DECIMALS_DEFAULT = 2;
/** Candles that show the decimals of a market with an unknown tick. */
const PRICED_CANDLES = 30;
const VOLUME_DECIMALS = 5;
const types = { perp: 'swap', spot: 'crypto' } as const;

const scopes = { perp: 'perpetuals', spot: 'spot markets', all: 'perpetuals and spot markets' } as const;

/** How a symbol is listed. */
interface Listed {
  readonly symbol: string;
  readonly full_name: string;
  readonly description: string;
  readonly exchange: string;
  readonly ticker: string;
  readonly type: string;
}

/** The protocol of TradingView's charts ("UDF"). */
export function udfPages(options: RestOptions, tape: TapeBars, base = '/udf'): readonly Page[] {
  const { primaryVenue, venues } = options.resources;
  const names = new Map(venues.map(({ id, name }) => [id, name]));
  const page = (
    name: string,
    handle: IntegrationPageOptions['handle'],
    cost?: IntegrationPageOptions['cost'],
  ): Page => integrationPage(options, { path: `${base}/${name}`, handle, failed, ...(cost && { cost }) });

  const listedMarket = (market: ListedMarket): Listed => {
    const kind = market.kind === 'perp' ? 'perpetual' : 'spot';
    const description = `${market.coin}/${market.quote} ${kind}, ${names.get(market.venue) ?? market.venue}`;
    return listed(tickerOf(market, primaryVenue), description, types[market.kind]);
  };

  const pages = [
    page('config', async ({ context }) => {
      const recorded = [...new Set((await listMarkets(context)).map(({ venue }) => venue))];
      return {
        supports_search: true,
        supports_group_request: false,
        supports_marks: true,
        supports_timescale_marks: false,
        supports_time: true,
        supported_resolutions: chartResolutions.market,
        exchanges: [
          { value: '', name: 'All', desc: '' },
          { value: AGGREGATE, name: 'All venues', desc: 'Every recorded market of a coin together' },
          ...recorded.map((id) => ({
            value: id.toUpperCase(),
            name: names.get(id) ?? id,
            desc: names.get(id) ?? id,
          })),
        ],
        symbols_types: [
          { name: 'All types', value: '' },
          { name: 'Perpetual', value: types.perp },
          { name: 'Spot', value: types.spot },
        ],
      };
    }),
    page('time', ({ context }) => String(Math.floor(context.nowMs / 1_000))),
    page('search', async ({ params, context }) => {
      // `BTC.RANGE50` finds the bars of every market that `BTC` finds.
      const text = params.get('query') ?? '';
      const bars = parseBarSymbol(text);
      const query = (bars?.of ?? text).toUpperCase();
      const [type, exchange] = [params.get('type') ?? '', (params.get('exchange') ?? '').toUpperCase()];
      const limit = Math.min(wholeParam(params, 'limit') ?? SEARCH_DEFAULT, SEARCH_MAX);
      const markets = await listMarkets(context);
      return [...markets.map(listedMarket), ...(bars ? [] : aggregatesOf(markets).map(listedAggregate))]
        .filter((one) => one.ticker.toUpperCase().includes(query))
        .filter((one) => (type === '' || one.type === type) && (exchange === '' || one.exchange === exchange))
        .slice(0, limit)
        .map((one) => withSuffix(one, bars?.suffix ?? ''));
    }),
    page('symbols', (visit) => describeSymbol(visit, listedMarket)),
    page('history', (visit) => readHistory(visit, tape)),
    page('marks', (visit) => readMarks(visit, tape)),
    page('timescale_marks', async (visit) => {
      const { id, time, color, label, text } = await readMarks(visit, tape, ['gaps']);
      return { id, time, color, label, tooltip: text };
    }),
    page('quotes', readQuotes, quotesCost),
  ];
  const bodyOf = ({ message }: Failure): object => ({ s: 'error', errmsg: message });
  return [...pages, ...nowherePages(options, base, { pages, bodyOf })];
}

/** The client reads the body of 200 only. */
function failed(failure: Failure) {
  const errmsg = failure.code === 'not_found' ? 'unknown_symbol' : failure.message;
  return { status: 200, body: { s: 'error', errmsg } };
}

function listed(ticker: string, description: string, type: string): Listed {
  const exchange = ticker.slice(0, ticker.indexOf(':'));
  const symbol = ticker.slice(exchange.length + 1);
  return { symbol, full_name: ticker, description, exchange, ticker, type };
}

function listedAggregate(aggregate: Aggregate): Listed {
  const { scope, coin } = aggregate;
  const type = scope === 'spot' ? types.spot : types.perp;
  return listed(aggregateTicker(aggregate), `${coin} ${scopes[scope]} of every recorded venue`, type);
}

function withSuffix(one: Listed, suffix: string): Listed {
  if (suffix === '') return one;
  return listed(one.ticker + suffix, `${one.description}, ${suffix.slice(1)} bars`, one.type);
}

async function describeSymbol(visit: IntegrationVisit, listedMarket: (market: ListedMarket) => Listed) {
  const { context, rest } = visit;
  const { market: id, suffix, resolutions } = symbolOf(visit);
  // The candles know every spelling of a market.
  const query = { market: id, interval: '1m', limit: PRICED_CANDLES };
  const { data, meta } = await rest.get<readonly CandleRow[]>('/candles', query);
  const markets = await listMarkets(context);
  const market = markets.find((one) => one.id === meta.market);
  const named = parseMarketId(meta.market as string, []);
  const own = market ? listedMarket(market) : named.type === 'aggregate' && listedAggregate(named);
  if (!own) throw new Failure('not_found', 'unknown_symbol');
  const decimals = market?.tick === undefined ? shownDecimals(data) : decimalsOf(market.tick);
  const { symbol: name, exchange, ticker, description, type } = withSuffix(own, suffix);
  const multipliers = (pattern: RegExp): readonly string[] =>
    resolutions.filter((one) => pattern.test(one)).map((one) => String(parseInt(one, 10)));
  const hasDays = resolutions.includes('1D');
  return {
    name,
    ticker,
    description,
    type,
    exchange,
    listed_exchange: exchange,
    session: '24x7',
    timezone: 'Etc/UTC',
    minmov: 1,
    pricescale: 10 ** decimals,
    has_intraday: true,
    has_seconds: resolutions.includes('1S'),
    seconds_multipliers: multipliers(/S$/),
    intraday_multipliers: multipliers(/^\d+$/),
    has_daily: hasDays,
    has_weekly_and_monthly: hasDays,
    weekly_multipliers: hasDays ? ['1'] : [],
    monthly_multipliers: [],
    supported_resolutions: resolutions,
    volume_precision: VOLUME_DECIMALS,
    format: 'price',
    data_status: 'streaming',
    currency_code: market?.quote ?? 'USD',
  };
}

/** One for every ten symbols. */
function quotesCost(asked: IntegrationQuery): number {
  return Math.ceil(Math.min(tickersIn(asked).length, QUOTES_MAX) / 10) || 1;
}

function tickersIn({ params }: IntegrationQuery): readonly string[] {
  return (params.get('symbols') ?? '').split(',').filter((one) => one !== '');
}

async function readQuotes(visit: IntegrationVisit) {
  const tickers = tickersIn(visit);
  if (tickers.length > QUOTES_MAX) throw new Failure('bad_request', `symbols may name up to ${QUOTES_MAX}`);
  const d = await mapBounded(tickers, QUOTES_AT_ONCE, (ticker) => quoteOf(visit, ticker));
  return { s: 'ok', d };
}

async function quoteOf(visit: IntegrationVisit, n: string) {
  try {
    const query = { market: symbolOf(visit, n).market, interval: '1d', limit: 2 };
    const { data } = await visit.rest.get<readonly CandleRow[]>('/candles', query);
    const [before, today] = data.length < 2 ? [undefined, data[0]] : data;
    if (!today) return { s: 'error', n, errmsg: 'no_data' };
    const reference = before?.close ?? today.open;
    const [exchange = '', shortName = ''] = n.split(':');
    return {
      s: 'ok',
      n,
      v: {
        ch: Number((today.close - reference).toPrecision(12)),
        chp: Number(((today.close / reference - 1) * 100).toFixed(4)),
        short_name: shortName,
        exchange,
        description: n,
        lp: today.close,
        open_price: today.open,
        high_price: today.high,
        low_price: today.low,
        prev_close_price: reference,
        volume: today.volume,
      },
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { s: 'error', n, errmsg: failed(error).body.errmsg };
  }
}

/** The most decimals among the prices of candles. */
function shownDecimals(rows: readonly CandleRow[]): number {
  if (rows.length === 0) return DECIMALS_DEFAULT;
  return Math.max(...rows.flatMap(({ open, close }) => [decimalsOf(open), decimalsOf(close)]));
}

function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (mantissa.split('.')[1] ?? '').length - Number(exponent));
}
