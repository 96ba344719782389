import { DAY_MS, HOUR_MS } from '@crosstape/core';
import type { VenueMarket } from '../../market/venue-market.ts';
import { plainDecimal } from '../plain-decimal.ts';
import { isSparse } from '../sparse-rows.ts';
import { coinsOf, contractsOf, dollarsOf, type Listing, printPrice } from './listing.ts';

/** The clock in Hong Kong, by which one of the days is counted. */
const UTC8_MS = 8 * HOUR_MS;
const COIN_DECIMALS = 8;

/** Rows as the documents show them; all values are texts. Shapes [C, N, T]. */
export function printInstrument(listing: Listing): object {
  const { instId, uly, base, quote, ctVal, priceDecimals, coin, state, instCategory } = listing;
  const isInverse = quote === 'USD';
  return {
    alias: '',
    auctionEndTime: '',
    baseCcy: '',
    category: '1',
    contTdSwTime: '',
    ctMult: '1',
    ctType: isInverse ? 'inverse' : 'linear',
    ctVal: plainDecimal(ctVal, COIN_DECIMALS),
    ctValCcy: isInverse ? 'USD' : base,
    expTime: '',
    futureSettlement: false,
    instCategory,
    instFamily: uly,
    instId,
    instType: 'SWAP',
    lever: String(coin.leverageMax),
    listTime: '1611916828000',
    lotSz: '0.01',
    maxIcebergSz: '100000000.0000000000000000',
    maxLmtAmt: '20000000',
    maxLmtSz: '100000000',
    maxMktAmt: '',
    maxMktSz: '35000',
    maxStopSz: '35000',
    maxTriggerSz: '100000000.0000000000000000',
    maxTwapSz: '100000000.0000000000000000',
    minSz: '0.01',
    openType: '',
    optType: '',
    quoteCcy: '',
    // Captured rows lack it now and then [L].
    ...(isSparse(coin.name) ? {} : { ruleType: 'normal' }),
    settleCcy: isInverse ? base : quote,
    state,
    stk: '',
    tickSz: (10 ** -priceDecimals).toFixed(priceDecimals),
    tradeQuoteCcyList: [],
    uly,
  };
}

/** Contracts of a swap at a time. */
export function heldContracts(listing: Listing, market: VenueMarket, atMs: number): number {
  const { mark } = market.quote(listing.coin.name, atMs);
  return contractsOf(market.openInterest(listing.coin.name, atMs) * listing.part, mark, listing);
}

export function printOpenInterest(listing: Listing, market: VenueMarket, nowMs: number): object {
  const { mark } = market.quote(listing.coin.name, nowMs);
  const contracts = heldContracts(listing, market, nowMs);
  const coins = coinsOf(contracts, mark, listing);
  return {
    instId: listing.instId,
    instType: 'SWAP',
    oi: plainDecimal(contracts, 2),
    oiCcy: plainDecimal(coins, COIN_DECIMALS),
    // Captured rows lack it now and then [L].
    ...(isSparse(listing.coin.name)
      ? {}
      : { oiUsd: plainDecimal(coins * dollarsOf(mark, listing, market, nowMs), 6) }),
    ts: String(nowMs),
  };
}

export function printFundingRate(listing: Listing, market: VenueMarket, nowMs: number): object {
  const { rate, periodHours, prevFundingMs, nextFundingMs } = market.funding(listing.coin.name, nowMs);
  const { mark, index } = market.quote(listing.coin.name, nowMs);
  const paid = market.funding(listing.coin.name, prevFundingMs - 1);
  const capText = plainDecimal(0.00375 * (periodHours / 8), COIN_DECIMALS);
  return {
    formulaType: 'withRate',
    fundingRate: plainDecimal(rate, 10),
    fundingTime: String(nextFundingMs),
    impactValue: '10000',
    instId: listing.instId,
    instType: 'SWAP',
    interestRate: '0.0001',
    maxFundingRate: capText,
    method: 'current_period',
    minFundingRate: `-${capText}`,
    nextFundingRate: '',
    nextFundingTime: String(nextFundingMs + periodHours * HOUR_MS),
    premium: plainDecimal(mark / index - 1, 16),
    prevFundingTime: String(prevFundingMs),
    settFundingRate: plainDecimal(paid.rate, 10),
    settState: 'settled',
    ts: String(nowMs),
  };
}

export function printMarkPrice(listing: Listing, market: VenueMarket, nowMs: number): object {
  const { mark } = market.quote(listing.coin.name, nowMs);
  return {
    instId: listing.instId,
    instType: 'SWAP',
    markPx: printPrice(mark, listing),
    ts: String(nowMs),
  };
}

export function printIndexTicker(listing: Listing, market: VenueMarket, nowMs: number): object {
  const indexAt = (atMs: number): number => market.quote(listing.coin.name, atMs).index;
  const [now, dayAgo] = [indexAt(nowMs), indexAt(nowMs - DAY_MS)];
  return {
    high24h: printPrice(Math.max(now, dayAgo), listing),
    idxPx: printPrice(now, listing),
    instId: listing.uly,
    low24h: printPrice(Math.min(now, dayAgo), listing),
    open24h: printPrice(dayAgo, listing),
    sodUtc0: printPrice(indexAt(startOfDay(nowMs, 0)), listing),
    sodUtc8: printPrice(indexAt(startOfDay(nowMs, UTC8_MS)), listing),
    ts: String(nowMs),
  };
}

export function printTicker(listing: Listing, market: VenueMarket, nowMs: number): object {
  const { bid, ask, last, mark } = market.quote(listing.coin.name, nowMs);
  const lastAt = (atMs: number): number => market.quote(listing.coin.name, atMs).last;
  const dayAgo = lastAt(nowMs - DAY_MS);
  const size = market.volume24h(listing.coin.name, nowMs).coins * listing.part;
  const contracts = contractsOf(size, mark, listing);
  return {
    instType: 'SWAP',
    instId: listing.instId,
    last: printPrice(last, listing),
    lastSz: '0.01',
    askPx: printPrice(ask, listing),
    askSz: '12.5',
    bidPx: printPrice(bid, listing),
    bidSz: '9.31',
    open24h: printPrice(dayAgo, listing),
    high24h: printPrice(Math.max(last, dayAgo), listing),
    low24h: printPrice(Math.min(last, dayAgo), listing),
    volCcy24h: plainDecimal(coinsOf(contracts, mark, listing), COIN_DECIMALS),
    vol24h: plainDecimal(contracts, 2),
    ts: String(nowMs),
    sodUtc0: printPrice(lastAt(startOfDay(nowMs, 0)), listing),
    sodUtc8: printPrice(lastAt(startOfDay(nowMs, UTC8_MS)), listing),
  };
}

function startOfDay(nowMs: number, offsetMs: number): number {
  return Math.floor((nowMs + offsetMs) / DAY_MS) * DAY_MS - offsetMs;
}
