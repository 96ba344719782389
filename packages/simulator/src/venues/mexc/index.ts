import { HOUR_MS } from '@crosstape/core';
import type { VenueMarket } from '../../market/venue-market.ts';
import { paidRates } from '../past-samples.ts';
import { simulateVenue } from '../run-wire.ts';
import { type Question, Reply } from '../wire.ts';
import { enabledListings, type Listing, listingsOf } from './listing.ts';
import { printContract, printFairPrice, printFundingRate, printIndexPrice, printTicker } from './rows.ts';
import { publicSocket } from './socket.ts';
import { DEALS_MAX, printPast, readKlineColumns, tradeMarket } from './trades.ts';

const PREFIX = '/api/v1/contract';

const PAID_ROWS_MAX = 100;
/** How far back payments reach: ours. */
const PAID_MS = 90 * 24 * HOUR_MS;

const UNKNOWN_CONTRACT = new Reply({ success: false, code: 1001, message: 'Contract does not exist' });

interface Call {
  readonly path: string;
  readonly max: number;
  readonly spanMs: number;
  readonly answer: (question: Question) => Reply | Promise<Reply>;
}

const OFTEN = { max: 20, spanMs: 2000 };

/** Limits per IP as ccxt keeps them [C]. The last is the list of its spot market, which is empty here. */
const CALLS: readonly Call[] = [
  { path: `${PREFIX}/ping`, ...OFTEN, answer: ({ nowMs }) => success(nowMs) },
  {
    path: `${PREFIX}/detail`,
    max: 1,
    spanMs: 5000,
    answer: (asked) => answerAll(asked, listingsOf, printContract),
  },
  { path: `${PREFIX}/ticker`, ...OFTEN, answer: (asked) => answerAll(asked, enabledListings, printTicker) },
  {
    path: `${PREFIX}/funding_rate`,
    ...OFTEN,
    answer: (asked) => answerAll(asked, enabledListings, printFundingRate),
  },
  { path: `${PREFIX}/funding_rate/history`, ...OFTEN, answer: answerPaid },
  { path: `${PREFIX}/funding_rate/:symbol`, ...OFTEN, answer: (asked) => answerOne(asked, printFundingRate) },
  { path: `${PREFIX}/index_price/:symbol`, ...OFTEN, answer: (asked) => answerOne(asked, printIndexPrice) },
  { path: `${PREFIX}/fair_price/:symbol`, ...OFTEN, answer: (asked) => answerOne(asked, printFairPrice) },
  { path: `${PREFIX}/kline/:symbol`, ...OFTEN, answer: answerKlines },
  { path: `${PREFIX}/deals/:symbol`, ...OFTEN, answer: answerDeals },
  { path: '/api/v3/exchangeInfo', ...OFTEN, answer: answerSpot },
];

/** The answer to a caller over the limit, with HTTP 200 [C; the status: K]. */
const TOO_MANY = '{"success":false,"code":510,"message":"Requests are too frequent, please try again later"}';

/** MEXC's contracts: public calls and the trades of its socket. */
export const mexc = simulateVenue({
  shape: { id: 'mexc', share: 0.3, basisBps: 3, latencyMs: 120, listed: 1 },
  routes: CALLS.map(({ path, answer }) => ({ path, costs: () => ({ [path]: 1 }), answer })),
  limits: CALLS.map(({ path, max, spanMs }) => ({ name: path, max, spanMs })),
  overLimit: () => ({ status: 200, type: 'application/json', body: TOO_MANY }),
  notFound: {
    status: 404,
    type: 'application/json',
    body: '{"success":false,"code":404,"message":"Not Found"}',
  },
  sockets: [publicSocket],
});

/** `{"success":true,"code":0,"data":…}` [C] */
function success(data: unknown): Reply {
  return new Reply({ success: true, code: 0, data });
}

type PrintRow = (listing: Listing, market: VenueMarket, nowMs: number) => object;

/** A list of all, or with a symbol the one itself. */
function answerAll(
  question: Question,
  listings: (market: VenueMarket) => readonly Listing[],
  printRow: PrintRow,
): Reply {
  const { market, nowMs, query } = question;
  const symbol = query.get('symbol');
  if (symbol === null) return success(listings(market).map((listing) => printRow(listing, market, nowMs)));
  return answerFound(listings(market), symbol, (listing) => printRow(listing, market, nowMs));
}

function answerOne({ market, nowMs, params }: Question, printRow: PrintRow): Reply {
  return answerFound(enabledListings(market), params['symbol'], (listing) =>
    printRow(listing, market, nowMs),
  );
}

/** What was paid, newest first and by page: {"symbol":"BTC_USDT","fundingRate":0.000266,"settleTime":1609804800000} [C] */
function answerPaid({ market, nowMs, query }: Question): Reply {
  const size = Number(query.get('page_size') ?? 20);
  const page = Number(query.get('page_num') ?? 1);
  if (!(size >= 1 && size <= PAID_ROWS_MAX && page >= 1))
    return new Reply({ success: false, code: 600, message: 'Parameter error' });
  return answerFound(enabledListings(market), query.get('symbol') ?? undefined, ({ symbol, coin }) => {
    const span = { fromMs: nowMs - PAID_MS, toMs: nowMs, limit: size, skip: (page - 1) * size };
    const count = Math.ceil(PAID_MS / HOUR_MS / market.periodHours(coin.name, nowMs));
    return {
      pageSize: size,
      totalCount: count,
      totalPage: Math.ceil(count / size),
      currentPage: page,
      resultList: paidRates(market, coin.name, span).map(({ paidMs, rate }) => ({
        symbol,
        fundingRate: Number(rate.toFixed(8)),
        settleTime: paidMs,
      })),
    };
  });
}

/** The newest trades, newest first; older ones cannot be requested. */
function answerDeals({ market, query, params, trades }: Question): Reply {
  const limit = Math.min(DEALS_MAX, Number(query.get('limit') ?? DEALS_MAX));
  if (!(limit >= 1)) return new Reply({ success: false, code: 600, message: 'Parameter error' });
  return answerFound(enabledListings(market), params['symbol'], (listing) => {
    const newest = trades.newest(tradeMarket(market, listing), Math.floor(limit));
    return newest.toReversed().map((deal) => printPast(listing, deal));
  });
}

async function answerKlines(question: Question): Promise<Reply> {
  const listing = enabledListings(question.market).find(({ symbol }) => symbol === question.params['symbol']);
  if (!listing) return UNKNOWN_CONTRACT;
  const columns = await readKlineColumns(question, listing);
  return columns ? success(columns) : new Reply({ success: false, code: 600, message: 'Parameter error' });
}

function answerFound(
  listings: readonly Listing[],
  symbol: string | undefined,
  printRow: (listing: Listing) => object,
): Reply {
  const found = listings.find((listing) => listing.symbol === symbol);
  if (!found) return UNKNOWN_CONTRACT;
  return success(printRow(found));
}

function answerSpot({ nowMs }: Question): Reply {
  return new Reply({ timezone: 'CST', serverTime: nowMs, rateLimits: [], exchangeFilters: [], symbols: [] });
}
