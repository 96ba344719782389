import { DAY_MS } from '@crosstape/core';
import type { VenueMarket } from '../../market/venue-market.ts';
import { simulateVenue } from '../run-wire.ts';
import { type Question, Reply, type WireLimit, type WireRoute } from '../wire.ts';
import { OptionBook, type SimulatedOption } from './option-book.ts';
import { OptionTape } from './option-tape.ts';
import { nameOf, printInstrument, printSummary, printTicker, printTrade } from './rows.ts';
import { SERIES, type Series } from './series.ts';
import { INDEX_COINS, indexPage, RESOLUTION_MS } from './volatility-index.ts';

/** How long the venue takes, in microseconds. */
const TAKES_US = 187;

/** `{"jsonrpc":"2.0","result":…,"usIn":1794700000000123,"usOut":1794700000000310,"usDiff":187,"testnet":false}` [D, C] */
function success({ nowMs }: Question, result: unknown): Reply {
  return new Reply({ jsonrpc: '2.0', result, ...timing(nowMs) });
}

/** `{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params","data":{…}},…}` [D, C], with HTTP 400 [K]. */
function invalid({ nowMs }: Question, param: string, reason: string): Reply {
  const error = { code: -32_602, message: 'Invalid params', data: { reason, param } };
  return new Reply({ jsonrpc: '2.0', error, ...timing(nowMs) }, 400);
}

function timing(nowMs: number): object {
  const usIn = nowMs * 1_000;
  return { usIn, usOut: usIn + TAKES_US, usDiff: TAKES_US, testnet: false };
}

const PREFIX = '/api/v2/public';
/** Currencies of a call; the last two have no options here [D]. */
const CURRENCIES: readonly string[] = ['BTC', 'ETH', 'USDC', 'USDT', 'EURR'];
const KINDS: readonly string[] = ['option', 'future', 'spot', 'future_combo', 'option_combo', 'any'];
/** All coins of the venue, for clients that list them first. */
const COINS: readonly (readonly [string, string])[] = [
  ['BTC', 'Bitcoin'],
  ['ETH', 'Ethereum'],
  ['USDC', 'USD Coin'],
  ['SOL', 'Solana'],
  ['XRP', 'XRP'],
  ['HYPE', 'Hyperliquid'],
];

/**
 * 20 requests a second, 100 at once [D, N for callers with a key; K for others]; those for instruments one a second by
 * themselves [D], over how long is not said.
 */
const limits: readonly WireLimit[] = [
  { name: 'requests', spanMs: 5_000, max: 100 },
  { name: 'instruments', spanMs: 10_000, max: 10 },
];

interface Options {
  readonly book: OptionBook;
  readonly tape: OptionTape;
}

const optionsOfMarkets = new WeakMap<VenueMarket, Options>();

function optionsOfMarket(market: VenueMarket): Options {
  let options = optionsOfMarkets.get(market);
  if (!options) {
    const book = new OptionBook(market);
    options = { book, tape: new OptionTape(book, market.market.seed) };
    optionsOfMarkets.set(market, options);
  }
  return options;
}

const routes: readonly WireRoute[] = [
  route('get_time', (question) => success(question, question.nowMs)),
  route('get_currencies', (question) =>
    success(
      question,
      COINS.map(([currency, name]) => ({
        currency,
        currency_long: name,
        coin_type: currency,
        network_currency: currency,
        network_fee: 0.0001,
        withdrawal_fee: 0.0001,
        min_withdrawal_fee: 0.0001,
        withdrawal_priorities: [],
        min_confirmations: 1,
        in_cross_collateral_pool: false,
        apr: 0,
      })),
    ),
  ),
  {
    ...route('get_instruments', (question) =>
      ofCurrency(question, (option) => printInstrument(option), 'any'),
    ),
    costs: () => ({ requests: 1, instruments: 1 }),
  },
  route('get_book_summary_by_currency', (question) =>
    ofCurrency(question, (option) => printSummary(option, question.nowMs)),
  ),
  route('get_book_summary_by_instrument', (question) =>
    ofInstrument(question, (option) => [printSummary(option, question.nowMs)]),
  ),
  route('ticker', (question) => ofInstrument(question, (option) => printTicker(option, question.nowMs))),
  route('get_index_price', (question) => {
    const name = question.query.get('index_name') ?? '';
    const series = SERIES.find(({ indexName }) => indexName === name);
    if (!series) return invalid(question, 'index_name', 'value is not one of the indexes');
    const index = optionsOfMarket(question.market).book.index(series.coin, question.nowMs);
    const price = Number(index.toFixed(series.priceDecimals));
    return success(question, { index_price: price, estimated_delivery_price: price });
  }),
  route('get_volatility_index_data', volatilityIndex),
  route('get_last_trades_by_currency_and_time', tradesOf),
];

const TOO_MANY = '{"jsonrpc":"2.0","error":{"code":10028,"message":"too_many_requests"},"testnet":false}';
const NO_METHOD = '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"testnet":false}';

/** Deribit's options, only over REST. The HTTP status of a rate-limit error is not documented [K]. */
export const deribit = simulateVenue({
  shape: { id: 'deribit', share: 0, basisBps: 0, latencyMs: 50, listed: 0.12 },
  routes,
  limits,
  overLimit: () => ({ status: 400, type: 'application/json', body: TOO_MANY }),
  notFound: { status: 400, type: 'application/json', body: NO_METHOD },
  sockets: [],
});

function route(name: string, answer: WireRoute['answer']): WireRoute {
  return { path: `${PREFIX}/${name}`, costs: () => ({ requests: 1 }), answer };
}

/** A currency without an index has no rows [K]. */
function volatilityIndex(question: Question): Reply {
  const { query, market, nowMs } = question;
  const currency = query.get('currency') ?? '';
  if (!CURRENCIES.includes(currency))
    return invalid(question, 'currency', 'value is not one of the currencies');
  const { [query.get('resolution') ?? '']: stepMs } = RESOLUTION_MS;
  if (stepMs === undefined) return invalid(question, 'resolution', 'value is not one of the resolutions');
  const times = ['start_timestamp', 'end_timestamp'] as const;
  const [startMs = NaN, endMs = NaN] = times.map((name) => Number(query.get(name) ?? NaN));
  for (const [i, value] of [startMs, endMs].entries())
    if (!Number.isSafeInteger(value)) return invalid(question, times[i] as string, 'value required');
  const hasIndex = INDEX_COINS.includes(currency);
  const page =
    hasIndex && indexPage(optionsOfMarket(market).book, currency, { startMs, endMs, stepMs, nowMs });
  return success(question, page || { data: [], continuation: null });
}

/** Every option of a currency; those of all when that may be left out. */
function ofCurrency(question: Question, print: (option: SimulatedOption) => object, fallback = ''): Reply {
  const currency = question.query.get('currency') ?? fallback;
  if (currency !== fallback && !CURRENCIES.includes(currency))
    return invalid(question, 'currency', 'value is not one of the currencies');
  if (currency === '') return invalid(question, 'currency', 'value required');
  const kind = question.query.get('kind') ?? 'any';
  if (!KINDS.includes(kind)) return invalid(question, 'kind', 'value is not one of the kinds');
  const series = SERIES.filter((one) => currency === fallback || one.currency === currency);
  const shown = kind === 'option' || kind === 'any' ? series : [];
  return success(
    question,
    shown.flatMap((one) => optionsOf(question, one).map(print)),
  );
}

/** Rows of one answer [D]. */
const TRADES_MAX = 1_000;
const TRADES_BY_DEFAULT = 10;
const SORTINGS: readonly string[] = ['asc', 'desc', 'default'];

/** Trades of the last 24 hours; a request that begins before that gets none, and no error [D]. */
function tradesOf(question: Question): Reply {
  const { query, nowMs, market } = question;
  const currency = query.get('currency') ?? '';
  if (!CURRENCIES.includes(currency))
    return invalid(question, 'currency', 'value is not one of the currencies');
  const kind = query.get('kind') ?? 'any';
  if (!KINDS.includes(kind)) return invalid(question, 'kind', 'value is not one of the kinds');
  const sorting = query.get('sorting') ?? 'default';
  if (!SORTINGS.includes(sorting)) return invalid(question, 'sorting', 'value is not one of the directions');
  const numbers = ['start_timestamp', 'end_timestamp', 'count'].map((name) => ({
    name,
    value: Number(query.get(name) ?? (name === 'count' ? TRADES_BY_DEFAULT : Number.NaN)),
  }));
  const odd = numbers.find(({ value }) => !Number.isSafeInteger(value) || value < 0);
  if (odd) return invalid(question, odd.name, 'must be an integer');
  const [fromMs = 0, toMs = 0, count = 0] = numbers.map(({ value }) => value);
  if (count < 1 || count > TRADES_MAX) return invalid(question, 'count', `must be from 1 to ${TRADES_MAX}`);
  const hasOptions = kind === 'option' || kind === 'any';
  if (!hasOptions || fromMs < nowMs - DAY_MS) return success(question, { trades: [], has_more: false });
  const { tape } = optionsOfMarket(market);
  const trades: object[] = [];
  for (const trade of tape.trades(currency, fromMs, Math.min(toMs, nowMs), sorting === 'asc')) {
    if (trades.length === count) return success(question, { trades, has_more: true });
    trades.push(printTrade(trade));
  }
  return success(question, { trades, has_more: false });
}

function ofInstrument(question: Question, print: (option: SimulatedOption) => unknown): Reply {
  const name = question.query.get('instrument_name') ?? '';
  const series = SERIES.find(({ prefix }) => name.startsWith(`${prefix}-`));
  const option = series && optionsOf(question, series).find((one) => nameOf(one) === name);
  return option
    ? success(question, print(option))
    : invalid(question, 'instrument_name', 'no such instrument');
}

function optionsOf({ market, nowMs }: Question, series: Series): readonly SimulatedOption[] {
  return optionsOfMarket(market).book.options(series, nowMs);
}
