import { DAY_MS, HOUR_MS, WEEK_MS } from '@crosstape/core';
import type { VenueMarket } from '../../market/venue-market.ts';
import { type Listing, priceOf, sizeOf } from './listing.ts';

/** Past rates that differ from hour to hour; an older one is that of the first hour of its week, which is faster to make. */
const HOURLY_MS = 30 * DAY_MS;
/** Maximum of one answer. */
const PAST_HOURS_MAX = 50_000;
/** The one contract that ends some day. */
const DATED = { symbol: 'FF_XBTUSD_271231', lastTradingTime: '2027-12-31T16:00:00.000Z' } as const;
const INVERSE_SYMBOL = 'PI_XBTUSD';

/**
 * Linear perpetuals, and besides one inverse, one dated contract and the indices.
 * https://docs.kraken.com/api-reference/instrument-details/get-instruments [D]
 */
export function printInstruments(listings: readonly Listing[]): readonly object[] {
  const [first] = listings;
  return [
    ...(first
      ? [
          {
            ...printInstrument(first),
            symbol: INVERSE_SYMBOL,
            type: 'futures_inverse',
            underlying: 'rr_xbtusd',
          },
          { ...printInstrument(first), symbol: DATED.symbol, lastTradingTime: DATED.lastTradingTime },
        ]
      : []),
    ...listings.map(printInstrument),
    ...['in_xbtusd', 'rr_xbtusd'].map((symbol) => ({
      symbol,
      type: 'spot index',
      tradeable: false,
      tags: [],
    })),
  ];
}

function printInstrument(listing: Listing): object {
  const { coin, symbol, base, pair, priceDecimals, sizeDecimals, openingDate } = listing;
  const isTradfi = coin.category !== undefined;
  return {
    symbol,
    pair,
    base,
    quote: 'USD',
    type: 'flexible_futures',
    tickSize: Number((10 ** -priceDecimals).toFixed(priceDecimals)),
    contractSize: 1,
    tradeable: !coin.isDelisted,
    impactMidSize: 1,
    maxPositionSize: 1_000_000,
    openingDate,
    marginLevels: [
      { numNonContractUnits: 0, initialMargin: 0.02, maintenanceMargin: 0.01 },
      { numNonContractUnits: 500_000, initialMargin: 0.04, maintenanceMargin: 0.02 },
    ],
    fundingRateCoefficient: 24,
    maxRelativeFundingRate: 0.0025,
    isin: 'EZV5QW2CBP96',
    contractValueTradePrecision: sizeDecimals,
    postOnly: false,
    feeScheduleUid: '5b755fea-c5b0-4307-a66e-b392cd5bd931',
    retailMarginLevels: [{ numNonContractUnits: 0, initialMargin: 0.5, maintenanceMargin: 0.25 }],
    category: isTradfi ? 'TradFi' : 'Layer 1',
    tags: [],
    // A captured stock contract had no such field [L].
    ...(coin.category === 'stocks' ? {} : { tradfi: isTradfi }),
    mtf: false,
  };
}

/** https://docs.kraken.com/api/docs/futures-api/trading/get-tickers [D] */
export function printTickers(
  listings: readonly Listing[],
  market: VenueMarket,
  nowMs: number,
): readonly object[] {
  const rows = listings.map((listing) => printTicker(listing, market, nowMs));
  const [first] = rows;
  const lastTime = new Date(nowMs).toISOString();
  return [
    // Inverse: counted in dollars, and paid in coins per dollar.
    ...(first ? [{ ...first, symbol: INVERSE_SYMBOL, openInterest: 30_072_580, fundingRate: 1.2e-10 }] : []),
    ...(first ? [{ ...first, symbol: DATED.symbol, tag: 'semiannual', fundingRate: undefined }] : []),
    ...rows,
    ...['in_xbtusd', 'rr_xbtusd'].map((symbol) => ({ symbol, last: first?.indexPrice, lastTime })),
  ];
}

/**
 * A rate is set from the previous hour, runs for an hour and is quoted in dollars per coin; the current hour so far is
 * the prediction of the next [D].
 */
export function printTicker(listing: Listing, market: VenueMarket, nowMs: number) {
  const { name } = listing.coin;
  const { mark, index, bid, ask, last, ts } = market.quote(name, nowMs);
  const before = market.quote(name, nowMs - DAY_MS).last;
  const volume = market.volume24h(name, nowMs);
  const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const price = (value: number): number => priceOf(value, listing);
  const touchSize = sizeOf(listing.coin.openInterestUsd / last / 1e4, listing);
  const markPrice = mark / listing.perUnit;
  return {
    symbol: listing.symbol,
    last: price(last),
    lastTime: new Date(ts).toISOString(),
    lastSize: touchSize,
    tag: 'perpetual',
    pair: listing.pair,
    // Not rounded to the tick, as little as the real one.
    markPrice,
    bid: price(bid),
    bidSize: touchSize,
    ask: price(ask),
    askSize: touchSize,
    vol24h: sizeOf(volume.coins, listing),
    volumeQuote: Number(volume.usd.toFixed(4)),
    openInterest: sizeOf(market.openInterest(name, nowMs), listing),
    open24h: price(before),
    high24h: price(Math.max(last, before)),
    low24h: price(Math.min(last, before)),
    fundingRate: market.funding(name, hourMs).rate * markPrice,
    fundingRatePrediction: market.funding(name, nowMs).rate * markPrice,
    suspended: false,
    indexPrice: price(index),
    postOnly: false,
    change24h: Number(((last / before - 1) * 100).toFixed(2)),
  };
}

/**
 * Every hour since the contract was opened, oldest first:
 * {"timestamp":"2018-08-31T16:00:00.000Z","fundingRate":1.0327058177,"relativeFundingRate":0.0000182450} [D], dated when
 * the rate is set.
 */
export function printPastRates(listing: Listing, market: VenueMarket, nowMs: number): readonly object[] {
  const { coin, perUnit, openingDate } = listing;
  const newestMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const hours = Math.floor((newestMs - Date.parse(openingDate)) / HOUR_MS) + 1;
  const count = Math.max(0, Math.min(hours, PAST_HOURS_MAX));
  let madeMs = Number.NaN;
  let rates = { fundingRate: 0, relativeFundingRate: 0 };
  return Array.from({ length: count }, (_, i) => {
    const setMs = newestMs - (count - 1 - i) * HOUR_MS;
    const atMs = setMs > newestMs - HOURLY_MS ? setMs : Math.floor(setMs / WEEK_MS) * WEEK_MS;
    if (atMs !== madeMs) {
      const { rate } = market.funding(coin.name, atMs);
      const fundingRate = (rate * market.quote(coin.name, atMs).mark) / perUnit;
      rates = { fundingRate, relativeFundingRate: Number(rate.toFixed(15)) };
      madeMs = atMs;
    }
    return { timestamp: new Date(setMs).toISOString(), ...rates };
  });
}
