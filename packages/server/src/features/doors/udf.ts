import { type CandleInterval, candleIntervalsMs, type CandleRow, intervalStart } from '@crosstape/core';
import type { Page } from '../../http/route.ts';
import { Failure } from '../../platform/errors.ts';
import type { RestOptions } from '../mcp/rest.ts';
import { type DoorMarket, listMarkets, marketOfTicker, tickerOf } from './door-market.ts';
import { doorPage, type DoorPageOptions, type DoorVisit, wholeParam } from './door-page.ts';
import { readMarks } from './udf-marks.ts';

/** Resolutions of charts and the candles behind them. */
const resolutions: Readonly<Record<string, CandleInterval>> = {
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
const supported = Object.keys(resolutions);
const BARS_MAX = 10_000;
const SEARCH_MAX = 200;
const SEARCH_DEFAULT = 30;
const QUOTES_MAX = 50;
const DECIMALS_DEFAULT = 2;
/** Candles that show the decimals of a market whose tick is not known. */
const PRICED_CANDLES = 30;
const VOLUME_DECIMALS = 5;
const types = { perp: 'swap', spot: 'crypto' } as const;

/** The protocol of TradingView's charts ("UDF"). */
export function udfPages(options: RestOptions, base = '/udf'): readonly Page[] {
  const { primaryVenue, venues } = options.resources;
  const names = new Map(venues.map(({ id, name }) => [id, name]));
  const page = (name: string, handle: DoorPageOptions['handle']): Page =>
    doorPage(options, { path: `${base}/${name}`, handle, failed });

  const described = (market: DoorMarket) => {
    const ticker = tickerOf(market, primaryVenue);
    const exchange = market.venue.toUpperCase();
    return {
      symbol: ticker.slice(exchange.length + 1),
      full_name: ticker,
      description: `${market.coin}/${market.quote} ${market.kind === 'perp' ? 'perpetual' : 'spot'}, ${names.get(market.venue) ?? market.venue}`,
      exchange,
      ticker,
      type: types[market.kind],
    };
  };

  return [
    page('config', async ({ context }) => {
      const recorded = [...new Set((await listMarkets(context)).map(({ venue }) => venue))];
      return {
        supports_search: true,
        supports_group_request: false,
        supports_marks: true,
        supports_timescale_marks: false,
        supports_time: true,
        supported_resolutions: supported,
        exchanges: [
          { value: '', name: 'All', desc: '' },
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
      const query = (params.get('query') ?? '').toUpperCase();
      const [type, exchange] = [params.get('type') ?? '', (params.get('exchange') ?? '').toUpperCase()];
      const limit = Math.min(wholeParam(params, 'limit') ?? SEARCH_DEFAULT, SEARCH_MAX);
      return (await listMarkets(context))
        .map(described)
        .filter((one) => one.ticker.toUpperCase().includes(query))
        .filter((one) => (type === '' || one.type === type) && (exchange === '' || one.exchange === exchange))
        .slice(0, limit);
    }),
    page('symbols', (visit) => describeSymbol(visit, described)),
    page('history', readHistory),
    page('marks', (visit) => readMarks(visit, rangeOf(visit))),
    page('timescale_marks', async (visit) => {
      const { id, time, color, label, text } = await readMarks(visit, rangeOf(visit), ['gaps']);
      return { id, time, color, label, tooltip: text };
    }),
    page('quotes', readQuotes),
  ];
}

/** The client reads the body of 200 only. */
function failed(failure: Failure) {
  const errmsg = failure.code === 'not_found' ? 'unknown_symbol' : failure.message;
  return { status: 200, body: { s: 'error', errmsg } };
}

function marketOf({ params, context }: DoorVisit, ticker = params.get('symbol') ?? ''): string {
  const market = marketOfTicker(ticker, context.resources.primaryVenue);
  if (market === undefined) throw new Failure('not_found', 'unknown_symbol');
  return market;
}

function intervalOf(params: URLSearchParams): CandleInterval {
  const text = (params.get('resolution') ?? '').toUpperCase();
  const interval = resolutions[text === 'D' || text === 'W' ? `1${text}` : text];
  if (interval === undefined)
    throw new Failure('bad_request', `resolution must be one of ${supported.join(', ')}`);
  return interval;
}

/** The range of a request in ms; `to` is not included. */
function rangeOf(visit: DoorVisit) {
  const { params } = visit;
  const interval = intervalOf(params);
  const from = wholeParam(params, 'from');
  const to = wholeParam(params, 'to');
  if (from === undefined || to === undefined) throw new Failure('bad_request', 'from and to are required');
  if (from > to) throw new Failure('bad_request', 'from must not be greater than to');
  return { market: marketOf(visit), interval, from: from * 1_000, to: to * 1_000 };
}

async function describeSymbol(
  visit: DoorVisit,
  described: (market: DoorMarket) => { readonly exchange: string; readonly ticker: string },
) {
  const { context, rest } = visit;
  const id = marketOf(visit);
  // The candles know every spelling of a market.
  const query = { market: id, interval: '1m', limit: PRICED_CANDLES };
  const { data, meta } = await rest.get<readonly CandleRow[]>('/candles', query);
  const canonical = meta.market as string;
  const market = (await listMarkets(context)).find((one) => one.id === canonical);
  const decimals = market?.tick === undefined ? shownDecimals(data) : decimalsOf(market.tick);
  const shared = {
    session: '24x7',
    timezone: 'Etc/UTC',
    minmov: 1,
    pricescale: 10 ** decimals,
    has_intraday: true,
    has_seconds: false,
    intraday_multipliers: supported.filter((one) => /^\d+$/.test(one)),
    has_daily: true,
    has_weekly_and_monthly: true,
    weekly_multipliers: ['1'],
    monthly_multipliers: [],
    supported_resolutions: supported,
    volume_precision: VOLUME_DECIMALS,
    format: 'price',
    data_status: 'streaming',
  };
  if (!market) {
    const coin = canonical.slice(canonical.indexOf(':') + 1);
    const name = `AGG:${coin}`;
    const description = `${coin} perpetuals of every recorded venue`;
    const own = {
      name,
      ticker: name,
      description,
      type: types.perp,
      exchange: 'AGG',
      listed_exchange: 'AGG',
    };
    return { ...own, ...shared, currency_code: 'USD' };
  }
  const { exchange, ticker, ...words } = described(market);
  return {
    ...words,
    name: ticker.slice(exchange.length + 1),
    ticker,
    exchange,
    listed_exchange: exchange,
    ...shared,
    currency_code: market.quote,
  };
}

async function readHistory(visit: DoorVisit) {
  const { market, interval, from, to } = rangeOf(visit);
  const countBack = wholeParam(visit.params, 'countback') ?? 0;
  const intervalMs = candleIntervalsMs[interval];
  // The same for every request within an interval, so that charts of one symbol share an answer.
  const end = intervalStart(to - 1, intervalMs) + intervalMs;
  const limit = Math.max(1, countBack, Math.ceil((end - from) / intervalMs) + 1);
  const query = { market, interval, end, limit: Math.min(limit, BARS_MAX) };
  const { data } = await visit.rest.get<readonly CandleRow[]>('/candles', query);
  const firstWanted = data.length - countBack;
  const rows = data.filter(({ ts }, i) => ts >= from || i >= firstWanted);
  const older = data.at(-1);
  if (rows.length === 0) return { s: 'no_data', ...(older && { nextTime: older.ts / 1_000 }) };
  return {
    s: 'ok',
    t: rows.map(({ ts }) => ts / 1_000),
    o: rows.map(({ open }) => open),
    h: rows.map(({ high }) => high),
    l: rows.map(({ low }) => low),
    c: rows.map(({ close }) => close),
    v: rows.map(({ volume }) => volume),
  };
}

async function readQuotes(visit: DoorVisit) {
  const tickers = (visit.params.get('symbols') ?? '').split(',').filter((one) => one !== '');
  if (tickers.length > QUOTES_MAX) throw new Failure('bad_request', `symbols may name up to ${QUOTES_MAX}`);
  const d = await Promise.all(tickers.map((ticker) => quoteOf(visit, ticker)));
  return { s: 'ok', d };
}

async function quoteOf(visit: DoorVisit, n: string) {
  try {
    const query = { market: marketOf(visit, n), interval: '1d', limit: 2 };
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
