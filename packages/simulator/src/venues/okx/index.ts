import type { VenueMarket } from '../../market/venue-market.ts';
import { simulateVenue } from '../run-wire.ts';
import type { Question, Reply } from '../wire.ts';
import { type Call, limitsOf, routesOf } from './call.ts';
import { failure, success } from './envelope.ts';
import { answerForcedOrders } from './forced-orders.ts';
import { answerFundingHistory, answerInterestHistory } from './history.ts';
import { klineCalls } from './klines.ts';
import { type Listing, listingsOf, liveListings } from './listing.ts';
import { ratioLimits, ratioRoutes } from './positioning.ts';
import {
  printFundingRate,
  printIndexTicker,
  printInstrument,
  printMarkPrice,
  printOpenInterest,
  printTicker,
} from './rows.ts';
import { publicSocket } from './socket.ts';
import { findSwap, tradeCalls } from './trades.ts';

const INSTRUMENT_TYPES: readonly string[] = ['SPOT', 'MARGIN', 'SWAP', 'FUTURES', 'OPTION'];
/** An announced swap, which has only a name. */
const ANNOUNCED = { instId: 'CROSSTAPE-USDT-SWAP', instType: 'SWAP', state: 'preopen' };

const CALLS: readonly Call[] = [
  { path: '/api/v5/public/time', max: 10, answer: ({ nowMs }) => success([{ ts: String(nowMs) }]) },
  { path: '/api/v5/public/instruments', max: 20, answer: answerInstruments },
  {
    path: '/api/v5/public/open-interest',
    max: 20,
    answer: (asked) => answerByType(asked, printOpenInterest),
  },
  { path: '/api/v5/public/mark-price', max: 10, answer: (asked) => answerByType(asked, printMarkPrice) },
  { path: '/api/v5/market/tickers', max: 20, answer: (asked) => answerByType(asked, printTicker) },
  { path: '/api/v5/public/funding-rate', max: 10, answer: answerFundingRates },
  { path: '/api/v5/public/funding-rate-history', max: 10, answer: answerFundingHistory },
  { path: '/api/v5/rubik/stat/contracts/open-interest-history', max: 5, answer: answerInterestHistory },
  { path: '/api/v5/market/index-tickers', max: 20, answer: answerIndexTickers },
  {
    path: '/api/v5/public/liquidation-orders',
    max: 40,
    answer: (asked) => ofType(asked, () => answerForcedOrders(asked)),
  },
  ...tradeCalls(findSwap),
  ...klineCalls(findSwap),
];

/** OKX's swaps: public calls and the public socket of its fifth version. */
export const okx = simulateVenue({
  shape: { id: 'okx', share: 0.6, basisBps: 1.6, latencyMs: 60, listed: 0.9 },
  routes: [...routesOf(CALLS), ...ratioRoutes],
  limits: [...limitsOf(CALLS), ...ratioLimits],
  overLimit: () => ({
    status: 429,
    type: 'application/json',
    body: '{"msg":"Too Many Requests","code":"50011"}',
  }),
  notFound: { status: 404, type: 'application/json', body: '{"msg":"Not Found","code":"404"}' },
  sockets: [publicSocket],
});

type PrintRow = (listing: Listing, market: VenueMarket, nowMs: number) => object;

function answerInstruments(question: Question): Reply {
  return ofType(question, () => {
    const rows = narrowed(question, listingsOf(question.market)).map(printInstrument);
    return success(question.query.has('instId') ? rows : [...rows, ANNOUNCED]);
  });
}

function answerByType(question: Question, printRow: PrintRow): Reply {
  return ofType(question, () => {
    const listings = narrowed(question, liveListings(question.market));
    if (listings.length === 0 && question.query.has('instId')) return unknownInstrument();
    return success(listings.map((listing) => printRow(listing, question.market, question.nowMs)));
  });
}

function answerFundingRates({ market, nowMs, query }: Question): Reply {
  const instId = query.get('instId');
  if (instId === null) return missing('instId');
  const listings = liveListings(market).filter((listing) => instId === 'ANY' || listing.instId === instId);
  if (listings.length === 0) return unknownInstrument();
  return success(listings.map((listing) => printFundingRate(listing, market, nowMs)));
}

function answerIndexTickers({ market, nowMs, query }: Question): Reply {
  const [quote, pair] = [query.get('quoteCcy'), query.get('instId')];
  if (quote === null && pair === null) return missing('quoteCcy or instId');
  const listings = liveListings(market).filter(
    (listing) => (quote === null || listing.quote === quote) && (pair === null || listing.uly === pair),
  );
  if (listings.length === 0) return unknownInstrument();
  return success(listings.map((listing) => printIndexTicker(listing, market, nowMs)));
}

/** Only swaps are simulated; other types are empty. */
function ofType({ query }: Question, answer: () => Reply): Reply {
  const type = query.get('instType');
  if (type === null) return missing('instType');
  if (!INSTRUMENT_TYPES.includes(type)) return failure('51000', 'Parameter instType error', 400);
  return type === 'SWAP' ? answer() : success([]);
}

function narrowed({ query }: Question, listings: readonly Listing[]): readonly Listing[] {
  const [uly, family, instId] = [query.get('uly'), query.get('instFamily'), query.get('instId')];
  return listings.filter(
    (listing) =>
      (uly === null || listing.uly === uly) &&
      (family === null || listing.uly === family) &&
      (instId === null || listing.instId === instId),
  );
}

function missing(parameter: string): Reply {
  return failure('50014', `Parameter ${parameter} can not be empty.`, 400);
}

function unknownInstrument(): Reply {
  return failure('51001', "Instrument ID, Instrument ID code, or Spread ID doesn't exist.");
}
