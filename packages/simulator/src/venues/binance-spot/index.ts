import { DAY_MS, MINUTE_MS } from '@crosstape/core';
import type { VenueMarket } from '../../market/venue-market.ts';
import { simulateVenue } from '../run-wire.ts';
import { printPrice, printSize, spotMarketOf, tickOf } from '../spot-pairs.ts';
import { type Question, Reply } from '../wire.ts';
import { findListing, type Listing, listingsOf } from './listings.ts';
import { streamSockets } from './socket.ts';
import { aggregateTrades, klines } from './trades.ts';

const LOT_DECIMALS_MAX = 8;

/** Binance's spot market: public calls at a weight of 6000 a minute per IP [D]. */
export const binanceSpot = simulateVenue({
  shape: { id: 'binance-spot', share: 1.6, basisBps: 1, latencyMs: 30, listed: 0.95 },
  routes: [
    { path: '/api/v3/ping', costs: () => ({ weight: 1 }), answer: () => new Reply({}) },
    {
      path: '/api/v3/time',
      costs: () => ({ weight: 1 }),
      answer: ({ nowMs }) => new Reply({ serverTime: nowMs }),
    },
    { path: '/api/v3/exchangeInfo', costs: () => ({ weight: 20 }), answer: answerInfo },
    {
      path: '/api/v3/ticker/24hr',
      costs: ({ query }) => ({ weight: query.has('symbol') ? 2 : 80 }),
      answer: answerDay,
    },
    aggregateTrades,
    klines,
  ],
  limits: [{ name: 'weight', spanMs: MINUTE_MS, max: 6000 }],
  overLimit: () => ({
    status: 429,
    type: 'application/json',
    body: '{"code":-1003,"msg":"Too much request weight used; current limit is 6000 request weight per 1 MINUTE."}',
  }),
  notFound: { status: 404, type: 'text/plain', body: 'Not Found' },
  sockets: streamSockets,
});

/** https://developers.binance.com/docs/binance-spot-api-docs/rest-api/general-endpoints [D], as far as clients read it */
function answerInfo({ market, nowMs }: Question): Reply {
  return new Reply({
    timezone: 'UTC',
    serverTime: nowMs,
    rateLimits: [{ rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 6000 }],
    exchangeFilters: [],
    symbols: listingsOf(market).map((listing) => printListing(listing, market)),
  });
}

function printListing({ base, quote, symbol, status, priceDecimals }: Listing, market: VenueMarket): object {
  // A coin that is halted may not be traded anywhere.
  const lotDecimals = status === 'TRADING' ? spotMarketOf(market).sizeDecimals(base) : LOT_DECIMALS_MAX;
  const lot = (10 ** -lotDecimals).toFixed(LOT_DECIMALS_MAX);
  return {
    symbol,
    status,
    baseAsset: base,
    baseAssetPrecision: 8,
    quoteAsset: quote,
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    orderTypes: ['LIMIT', 'MARKET'],
    icebergAllowed: true,
    ocoAllowed: true,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    filters: [
      {
        filterType: 'PRICE_FILTER',
        minPrice: '0',
        maxPrice: '0',
        tickSize: (10 ** -priceDecimals).toFixed(priceDecimals),
      },
      { filterType: 'LOT_SIZE', minQty: lot, maxQty: '9000000000', stepSize: lot },
    ],
    permissions: [],
    permissionSets: [['SPOT']],
  };
}

function answerDay({ market, query, nowMs }: Question): Reply {
  const symbol = query.get('symbol');
  const status = query.get('symbolStatus');
  if (symbol !== null) {
    const listing = findListing(market, symbol);
    return listing
      ? new Reply(printDay(listing, market, nowMs))
      : new Reply({ code: -1121, msg: 'Invalid symbol.' }, 400);
  }
  const asked = listingsOf(market).filter((one) => status === null || one.status === status);
  return new Reply(asked.map((listing) => printDay(listing, market, nowMs)));
}

/** https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints [D] */
function printDay(listing: Listing, market: VenueMarket, nowMs: number): object {
  const { bid, ask, last, before, volume } = tickOf(market, listing, nowMs);
  const price = (value: number): string => printPrice(value, listing);
  const isOpen = listing.status === 'TRADING';
  return {
    symbol: listing.symbol,
    priceChange: price(last - before),
    priceChangePercent: ((last / before - 1) * 100).toFixed(3),
    weightedAvgPrice: price((last + before) / 2),
    prevClosePrice: price(before),
    lastPrice: price(last),
    lastQty: '0.00731000',
    bidPrice: price(isOpen ? bid : 0),
    bidQty: printSize(isOpen ? volume / 1e5 : 0),
    askPrice: price(isOpen ? ask : 0),
    askQty: printSize(isOpen ? volume / 2e5 : 0),
    openPrice: price(before),
    highPrice: price(Math.max(last, before)),
    lowPrice: price(Math.min(last, before)),
    volume: printSize(volume),
    quoteVolume: printSize((volume * (last + before)) / 2),
    openTime: nowMs - DAY_MS,
    closeTime: nowMs,
    firstId: 5_116_031_635,
    lastId: 5_117_964_946,
    count: 1_933_312,
  };
}
