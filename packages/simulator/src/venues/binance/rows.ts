import { DAY_MS } from '@crosstape/core';
import type { VenueMarket } from '../../market/venue-market.ts';
import type { Listing } from './listing.ts';

const ONBOARD_MS = Date.UTC(2019, 8, 25, 8);

/** https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Exchange-Information [D] */
export function printExchangeInfo(listings: readonly Listing[], nowMs: number): object {
  return {
    exchangeFilters: [],
    rateLimits: [
      { interval: 'MINUTE', intervalNum: 1, limit: 2400, rateLimitType: 'REQUEST_WEIGHT' },
      { interval: 'MINUTE', intervalNum: 1, limit: 1200, rateLimitType: 'ORDERS' },
    ],
    serverTime: nowMs,
    assets: ['USDT', 'USDC', 'BTC'].map((asset) => ({
      asset,
      marginAvailable: true,
      autoAssetExchange: '-10000',
    })),
    symbols: listings.map((listing) => printSymbol(listing)),
    timezone: 'UTC',
    futuresType: 'U_MARGINED',
  };
}

function printSymbol({ coin, priceDecimals, ...listing }: Listing): object {
  const { sizeDecimals } = coin;
  const tickSize = (10 ** -priceDecimals).toFixed(priceDecimals);
  const stepSize = (10 ** -sizeDecimals).toFixed(sizeDecimals);
  const lots = { minQty: stepSize, stepSize };
  return {
    symbol: listing.symbol,
    pair: listing.pair,
    contractType: listing.contractType,
    deliveryDate: listing.deliveryMs,
    onboardDate: ONBOARD_MS,
    status: listing.status,
    maintMarginPercent: '2.5000',
    requiredMarginPercent: '5.0000',
    baseAsset: listing.base,
    quoteAsset: listing.quote,
    marginAsset: listing.quote,
    pricePrecision: priceDecimals,
    quantityPrecision: sizeDecimals,
    baseAssetPrecision: 8,
    quotePrecision: 8,
    underlyingType: listing.underlyingType,
    underlyingSubType: listing.underlyingType === 'COIN' ? ['Layer-1'] : ['TradFi'],
    settlePlan: 0,
    triggerProtect: '0.0500',
    filters: [
      { filterType: 'PRICE_FILTER', minPrice: tickSize, maxPrice: '4529764', tickSize },
      { filterType: 'LOT_SIZE', maxQty: '1000000', ...lots },
      { filterType: 'MARKET_LOT_SIZE', maxQty: '100000', ...lots },
      { filterType: 'MAX_NUM_ORDERS', limit: 200 },
      { filterType: 'MAX_NUM_ALGO_ORDERS', limit: 10 },
      { filterType: 'MIN_NOTIONAL', notional: '5' },
      {
        filterType: 'PERCENT_PRICE',
        multiplierUp: '1.0500',
        multiplierDown: '0.9500',
        multiplierDecimal: '4',
      },
    ],
    orderTypes: [
      'LIMIT',
      'MARKET',
      'STOP',
      'STOP_MARKET',
      'TAKE_PROFIT',
      'TAKE_PROFIT_MARKET',
      'TRAILING_STOP_MARKET',
    ],
    timeInForce: ['GTC', 'IOC', 'FOK', 'GTX', 'GTD'],
    liquidationFee: '0.012500',
    marketTakeBound: '0.05',
  };
}

/** https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Mark-Price [D] */
export function printPremium(
  { coin, symbol, contractType }: Listing,
  market: VenueMarket,
  nowMs: number,
): object {
  const { mark, index } = market.quote(coin.name, nowMs);
  const { rate, nextFundingMs } = market.funding(coin.name, nowMs);
  const isDated = contractType === 'CURRENT_QUARTER';
  return {
    symbol,
    markPrice: mark.toFixed(8),
    indexPrice: index.toFixed(8),
    estimatedSettlePrice: index.toFixed(8),
    lastFundingRate: isDated ? '' : rate.toFixed(8),
    interestRate: isDated ? '' : '0.00010000',
    nextFundingTime: isDated ? 0 : nextFundingMs,
    time: nowMs,
  };
}

/** https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Get-Funding-Rate-Info [D] */
export function printFundingInfo({ symbol }: Listing, fundingIntervalHours: number): object {
  return {
    symbol,
    adjustedFundingRateCap: '0.02000000',
    adjustedFundingRateFloor: '-0.02000000',
    fundingIntervalHours,
    disclaimer: false,
  };
}

/** https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Open-Interest [D] */
export function printOpenInterest(
  { coin, symbol, share }: Listing,
  market: VenueMarket,
  nowMs: number,
): object {
  const coins = market.openInterest(coin.name, nowMs) * share;
  return { openInterest: coins.toFixed(coin.sizeDecimals), symbol, time: nowMs };
}

/** https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/24hr-Ticker-Price-Change-Statistics [D] */
export function printDayTicker(
  { coin, symbol, share, priceDecimals }: Listing,
  market: VenueMarket,
  nowMs: number,
): object {
  const { last } = market.quote(coin.name, nowMs);
  const before = market.quote(coin.name, nowMs - DAY_MS).last;
  const volume = market.volume24h(coin.name, nowMs);
  const [coins, usd] = [volume.coins * share, volume.usd * share];
  const price = (value: number): string => value.toFixed(priceDecimals);
  const trades = Math.round(usd / 4000);
  return {
    symbol,
    priceChange: price(last - before),
    priceChangePercent: ((last / before - 1) * 100).toFixed(3),
    weightedAvgPrice: price(coins > 0 ? usd / coins : last),
    lastPrice: price(last),
    lastQty: (10 ** -coin.sizeDecimals).toFixed(coin.sizeDecimals),
    openPrice: price(before),
    highPrice: price(Math.max(last, before)),
    lowPrice: price(Math.min(last, before)),
    volume: coins.toFixed(coin.sizeDecimals),
    quoteVolume: usd.toFixed(2),
    openTime: nowMs - DAY_MS,
    closeTime: nowMs,
    firstId: 1,
    lastId: trades,
    count: trades,
  };
}
