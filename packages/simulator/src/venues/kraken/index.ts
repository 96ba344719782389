import { MINUTE_MS } from '@crosstape/core';
import { simulateVenue } from '../run-wire.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { candles } from './candles.ts';
import { findListing, listingsOf } from './listing.ts';
import { printInstruments, printPastRates, printTicker, printTickers } from './rows.ts';
import { publicSocket } from './socket.ts';
import { printHistory, RECENT_MAX, tradeMarket } from './trades.ts';

const PREFIX = '/derivatives/api/v3';

/** Public calls are free in the documented budget [D]: there is no limit to exceed. */
const routes: readonly WireRoute[] = [
  {
    path: `${PREFIX}/instruments`,
    answer: (question) =>
      success(question, { instruments: printInstruments(listingsOf(question.market, true)) }),
  },
  {
    path: `${PREFIX}/tickers`,
    answer: (question) =>
      success(question, {
        tickers: printTickers(listingsOf(question.market), question.market, question.nowMs),
      }),
  },
  {
    path: `${PREFIX}/tickers/:symbol`,
    answer(question) {
      const { market, params, nowMs } = question;
      const listing = findListing(market, params['symbol'] ?? '');
      if (!listing) return failure(question, 'Not found', 404);
      return success(question, { ticker: printTicker(listing, market, nowMs) });
    },
  },
  {
    path: `${PREFIX}/historical-funding-rates`,
    answer(question) {
      const { market, query, nowMs } = question;
      const listing = findListing(market, query.get('symbol') ?? '');
      if (!listing) return failure(question, 'invalidArgument: symbol');
      return success(question, { rates: printPastRates(listing, market, nowMs) });
    },
  },
  {
    path: `${PREFIX}/history`,
    answer(question) {
      const { market, query, trades } = question;
      const symbol = query.get('symbol');
      if (!symbol) return failure(question, 'requiredArgumentMissing');
      const listing = findListing(market, symbol);
      if (!listing) return failure(question, 'invalidArgument: symbol');
      const lastTime = query.get('lastTime');
      const beforeMs = lastTime === null ? undefined : Date.parse(lastTime);
      if (Number.isNaN(beforeMs)) return failure(question, 'invalidArgument: lastTime');
      const deals = trades.newest(tradeMarket(market, listing), RECENT_MAX, beforeMs);
      return success(question, { history: deals.toReversed().map((deal) => printHistory(listing, deal)) });
    },
  },
  candles,
];

/** Kraken Futures; the linear perpetuals have a market. */
export const kraken = simulateVenue({
  shape: { id: 'kraken', share: 0.08, basisBps: 3, latencyMs: 70, listed: 0.8, periodHours: 1 },
  routes,
  limits: [],
  overLimit: () => ({
    status: 200,
    type: 'application/json',
    body: '{"result":"error","error":"apiLimitExceeded"}',
  }),
  notFound: {
    status: 404,
    type: 'application/json',
    body: '{"result":"error","error":"notFound"}',
  },
  sockets: [publicSocket],
});

/** {"result":"success",…,"serverTime":"2016-02-25T09:45:53.818Z"} [D]; captured answers lack the result now and then [M]. */
function success({ nowMs }: Question, body: object): Reply {
  const isSparse = Math.floor(nowMs / MINUTE_MS) % 2 === 1;
  return new Reply({
    ...(!isSparse && { result: 'success' }),
    ...body,
    serverTime: new Date(nowMs).toISOString(),
  });
}

/** {"result":"error","error":"apiLimitExceeded","serverTime":…}, mostly with HTTP 200 [D]. */
function failure({ nowMs }: Question, error: string, status = 200): Reply {
  return new Reply({ result: 'error', error, serverTime: new Date(nowMs).toISOString() }, status);
}
