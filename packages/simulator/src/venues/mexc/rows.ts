import { DAY_MS } from '@crosstape/core';
import type { VenueMarket } from '../../market/venue-market.ts';
import { contractsOf, type Listing, priceOf } from './listing.ts';

/** By which an order's price may differ from the mark. */
const PRICE_BAND = 0.1;
const RATE_DECIMALS = 8;

/** Rows as the documents show them; numbers are JSON numbers. Shapes [C]. */
export function printContract(listing: Listing): object {
  const { contractId, symbol, baseCoin, quoteCoin, settleCoin, contractSize, priceDecimals, coin } = listing;
  const { state, isHidden, conceptPlate, baseCoinName } = listing;
  return {
    symbol,
    displayName: `${symbol}永续`,
    displayNameEn: `${symbol} PERPETUAL`,
    positionOpenType: 3,
    baseCoin,
    quoteCoin,
    baseCoinName,
    quoteCoinName: quoteCoin,
    futureType: 1,
    settleCoin,
    contractSize,
    minLeverage: 1,
    maxLeverage: coin.leverageMax,
    countryConfigContractMaxLeverage: 0,
    priceScale: priceDecimals,
    volScale: 0,
    amountScale: 4,
    priceUnit: Number(`1e-${priceDecimals}`),
    volUnit: 1,
    minVol: 1,
    maxVol: 1_500_000,
    bidLimitPriceRate: PRICE_BAND,
    askLimitPriceRate: PRICE_BAND,
    takerFeeRate: 0.0002,
    makerFeeRate: 0,
    maintenanceMarginRate: 0.004,
    initialMarginRate: 0.008,
    riskBaseVol: 15_000,
    riskIncrVol: 200_000,
    riskLongShortSwitch: 0,
    riskIncrMmr: 0.005,
    riskIncrImr: 0.008,
    riskLevelLimit: 13,
    priceCoefficientVariation: 0.004,
    indexOrigin: ['BITGET', 'BYBIT', 'BINANCE', 'HTX', 'OKX', 'MEXC', 'KUCOIN'],
    state,
    isNew: false,
    isHot: false,
    isHidden,
    conceptPlate,
    conceptPlateId: conceptPlate.map((_, i) => i + 1),
    riskLimitType: 'BY_VOLUME',
    maxNumOrders: [200, 50],
    marketOrderMaxLevel: 20,
    marketOrderPriceLimitRate1: 0.2,
    marketOrderPriceLimitRate2: 0.005,
    triggerProtect: 0.1,
    appraisal: 0,
    showAppraisalCountdown: 0,
    automaticDelivery: 0,
    apiAllowed: false,
    id: contractId,
    createTime: 1_591_242_684_000,
    openingTime: 0,
    openingCountdownOption: 1,
    showBeforeOpen: true,
    isMaxLeverage: true,
    isZeroFeeRate: false,
  };
}

export function printTicker(listing: Listing, market: VenueMarket, nowMs: number): object {
  const { coin, contractId, symbol } = listing;
  const { mark, index, bid, ask, last } = market.quote(coin.name, nowMs);
  const [now, dayAgo] = [
    priceOf(last, listing),
    priceOf(market.quote(coin.name, nowMs - DAY_MS).last, listing),
  ];
  const { coins, usd } = market.volume24h(coin.name, nowMs);
  return {
    contractId,
    symbol,
    lastPrice: now,
    bid1: priceOf(bid, listing),
    ask1: priceOf(ask, listing),
    volume24: contractsOf(coins, mark, listing),
    amount24: Number(usd.toFixed(4)),
    holdVol: contractsOf(market.openInterest(coin.name, nowMs), mark, listing),
    lower24Price: Math.min(now, dayAgo),
    high24Price: Math.max(now, dayAgo),
    riseFallRate: Number((now / dayAgo - 1).toFixed(4)),
    riseFallValue: Number((now - dayAgo).toFixed(listing.priceDecimals)),
    indexPrice: priceOf(index, listing),
    fairPrice: priceOf(mark, listing),
    fundingRate: Number(market.funding(coin.name, nowMs).rate.toFixed(RATE_DECIMALS)),
    maxBidPrice: priceOf(mark * (1 + PRICE_BAND), listing),
    minAskPrice: priceOf(mark * (1 - PRICE_BAND), listing),
    timestamp: nowMs,
  };
}

export function printFundingRate({ coin, symbol }: Listing, market: VenueMarket, nowMs: number): object {
  const { rate, periodHours, nextFundingMs } = market.funding(coin.name, nowMs);
  return {
    symbol,
    fundingRate: Number(rate.toFixed(RATE_DECIMALS)),
    maxFundingRate: 0.003,
    minFundingRate: -0.003,
    collectCycle: periodHours,
    nextSettleTime: nextFundingMs,
    timestamp: nowMs,
  };
}

export function printIndexPrice(listing: Listing, market: VenueMarket, nowMs: number): object {
  const { index } = market.quote(listing.coin.name, nowMs);
  return { symbol: listing.symbol, indexPrice: priceOf(index, listing), timestamp: nowMs };
}

export function printFairPrice(listing: Listing, market: VenueMarket, nowMs: number): object {
  const { mark } = market.quote(listing.coin.name, nowMs);
  return { symbol: listing.symbol, fairPrice: priceOf(mark, listing), timestamp: nowMs };
}
