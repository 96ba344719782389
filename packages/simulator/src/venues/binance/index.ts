import { MINUTE_MS } from '@crosstape/core';
import { simulateVenue } from '../run-wire.ts';
import { Reply, type WireLimit, type WireRoute } from '../wire.ts';
import { findTraded, INVALID_SYMBOL, missing } from './errors.ts';
import { historyRoutes } from './history.ts';
import { klines } from './klines.ts';
import { listingsOf, tradedOf } from './listing.ts';
import { ratioRoutes } from './ratios.ts';
import {
  printDayTicker,
  printExchangeInfo,
  printFundingInfo,
  printOpenInterest,
  printPremium,
} from './rows.ts';
import { streamSockets } from './socket.ts';
import { aggregateTrades } from './trades.ts';

/** A contract with this period is not listed among the adjusted ones. */
const USUAL_HOURS = 8;

/** Per IP, as published [D]. That all calls below `/futures/data` share one count is the narrower reading. */
const limits: readonly WireLimit[] = [
  { name: 'weight', spanMs: MINUTE_MS, max: 2400 },
  { name: 'futuresData', spanMs: 5 * MINUTE_MS, max: 1000 },
  { name: 'fundingInfo', spanMs: 5 * MINUTE_MS, max: 500 },
];

const routes: readonly WireRoute[] = [
  { path: '/fapi/v1/ping', costs: () => ({ weight: 1 }), answer: () => new Reply({}) },
  {
    path: '/fapi/v1/time',
    costs: () => ({ weight: 1 }),
    answer: ({ nowMs }) => new Reply({ serverTime: nowMs }),
  },
  {
    path: '/fapi/v1/exchangeInfo',
    costs: () => ({ weight: 1 }),
    answer: ({ market, nowMs }) => new Reply(printExchangeInfo(listingsOf(market), nowMs)),
  },
  {
    path: '/fapi/v1/premiumIndex',
    costs: ({ query }) => ({ weight: query.has('symbol') ? 1 : 10 }),
    answer({ market, query, nowMs }) {
      const symbol = query.get('symbol');
      if (!symbol) return new Reply(tradedOf(market).map((listing) => printPremium(listing, market, nowMs)));
      const listing = findTraded(market, symbol);
      return listing ? new Reply(printPremium(listing, market, nowMs)) : INVALID_SYMBOL;
    },
  },
  {
    path: '/fapi/v1/ticker/24hr',
    costs: ({ query }) => ({ weight: query.has('symbol') ? 1 : 40 }),
    answer({ market, query, nowMs }) {
      const symbol = query.get('symbol');
      if (!symbol)
        return new Reply(tradedOf(market).map((listing) => printDayTicker(listing, market, nowMs)));
      const listing = findTraded(market, symbol);
      return listing ? new Reply(printDayTicker(listing, market, nowMs)) : INVALID_SYMBOL;
    },
  },
  {
    path: '/fapi/v1/fundingInfo',
    costs: () => ({ fundingInfo: 1 }),
    answer({ market, nowMs }) {
      const perpetual = tradedOf(market).filter(({ contractType }) => contractType !== 'CURRENT_QUARTER');
      const rows = perpetual.map((listing) => ({
        listing,
        hours: market.periodHours(listing.coin.name, nowMs),
      }));
      const adjusted = rows.filter(({ hours }) => hours !== USUAL_HOURS);
      return new Reply(adjusted.map(({ listing, hours }) => printFundingInfo(listing, hours)));
    },
  },
  {
    path: '/fapi/v1/openInterest',
    costs: () => ({ weight: 1 }),
    answer({ market, query, nowMs }) {
      const symbol = query.get('symbol');
      if (!symbol) return missing('symbol');
      const listing = findTraded(market, symbol);
      return listing ? new Reply(printOpenInterest(listing, market, nowMs)) : INVALID_SYMBOL;
    },
  },
  aggregateTrades,
  klines,
  ...ratioRoutes,
  ...historyRoutes,
];

const TOO_MANY = {
  code: -1003,
  msg: 'Too many requests; current limit of IP(127.0.0.1) is 2400 requests per minute. Please use the websocket for live updates to avoid polling the API.',
};

/** Binance's USD-margined contracts. */
export const binance = simulateVenue({
  shape: { id: 'binance', share: 2.4, basisBps: 1.4, latencyMs: 40, listed: 1 },
  routes,
  limits,
  overLimit: () => ({ status: 429, type: 'application/json', body: JSON.stringify(TOO_MANY) }),
  notFound: { status: 404, type: 'text/html', body: '<html><body><h2>404 Not found</h2></body></html>' },
  sockets: streamSockets,
});
