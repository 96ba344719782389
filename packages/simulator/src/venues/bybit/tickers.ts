import { HOUR_MS } from '@crosstape/core';
import type { VenueMarket } from '../../market/venue-market.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { type Contract, contractsOf } from './contracts.ts';
import { categoryOf, success, unknownSymbol } from './envelope.ts';

/** https://bybit-exchange.github.io/docs/v5/market/tickers */
export const tickers: WireRoute = {
  path: '/v5/market/tickers',
  answer(question) {
    const { market, query, nowMs } = question;
    const asked = categoryOf(question);
    if (asked instanceof Reply) return asked;
    const listed = contractsFor(question, asked.category);
    const symbol = query.get('symbol');
    const wanted = symbol === null ? listed : listed.filter((one) => one.symbol === symbol);
    if (symbol !== null && wanted.length === 0) return unknownSymbol(nowMs);
    const list = wanted.map((contract) => printTicker(contract, market, nowMs));
    return success({ category: asked.category, list }, nowMs);
  },
};

export function contractsFor({ market, nowMs }: Question, category: string): readonly Contract[] {
  return category === 'linear' ? contractsOf(market, nowMs) : [];
}

/** In coins, of one side; the venue's plain figure is twice as much. */
export function oneSidedOf(
  { coin, part, sizeDecimals }: Contract,
  market: VenueMarket,
  atMs: number,
): number {
  return Number((market.openInterest(coin.name, atMs) * part).toFixed(sizeDecimals));
}

/** {"symbol":"BTCUSDT","lastPrice":"120635.50","indexPrice":"114890.92","markPrice":"114898.43",…} [D] */
function printTicker(contract: Contract, market: VenueMarket, nowMs: number): Record<string, string> {
  const { symbol, coin, priceDecimals, sizeDecimals, part } = contract;
  const price = (value: number): string => value.toFixed(priceDecimals);
  const quote = market.quote(coin.name, nowMs);
  const [hourAgo, dayAgo] = [1, 24].map((hours) => market.quote(coin.name, nowMs - hours * HOUR_MS).last);
  const prices = [quote.last, hourAgo ?? quote.last, dayAgo ?? quote.last];
  const isPreListing = contract.status === 'PreLaunch';
  const single = oneSidedOf(contract, market, nowMs);
  const value = single * Number(price(quote.mark));
  const volume = market.volume24h(coin.name, nowMs);
  return {
    symbol,
    lastPrice: price(quote.last),
    indexPrice: price(quote.index),
    markPrice: price(quote.mark),
    prevPrice24h: price(dayAgo ?? quote.last),
    price24hPcnt: (quote.last / (dayAgo ?? quote.last) - 1).toFixed(6),
    highPrice24h: price(Math.max(...prices)),
    lowPrice24h: price(Math.min(...prices)),
    prevPrice1h: price(hourAgo ?? quote.last),
    openInterest: (2 * single).toFixed(sizeDecimals),
    openInterestValue: (2 * value).toFixed(2),
    singleOpenInterest: single.toFixed(sizeDecimals),
    singleOpenInterestValue: value.toFixed(2),
    turnover24h: (volume.usd * part).toFixed(4),
    volume24h: (volume.coins * part).toFixed(4),
    ...printFunding(contract, market, nowMs),
    predictedDeliveryPrice: '',
    deliveryTime: String(contract.deliveryMs),
    ask1Size: (3 * 10 ** -sizeDecimals).toFixed(sizeDecimals),
    bid1Price: price(quote.bid),
    ask1Price: price(quote.ask),
    bid1Size: (2 * 10 ** -sizeDecimals).toFixed(sizeDecimals),
    preOpenPrice: isPreListing ? '0' : '',
    preQty: isPreListing ? '0' : '',
    curPreListingPhase: isPreListing ? 'ContinuousTrading' : '',
  };
}

/** A dated contract pays none: it has a basis instead. */
function printFunding(contract: Contract, market: VenueMarket, nowMs: number): Record<string, string> {
  const { coin, contractType } = contract;
  if (contractType === 'LinearFutures') {
    return {
      fundingRate: '',
      nextFundingTime: '0',
      fundingIntervalHour: '',
      fundingCap: '',
      basisRate: '0.0123',
      basis: (coin.price * 0.0123).toFixed(2),
      basisRateYear: '0.0402',
      deliveryFeeRate: '0.0005',
    };
  }
  const { rate, periodHours, nextFundingMs } = market.funding(coin.name, nowMs);
  return {
    fundingRate: rate.toFixed(8),
    nextFundingTime: String(nextFundingMs),
    fundingIntervalHour: String(periodHours),
    fundingCap: '0.005',
    basisRate: '',
    basis: '',
    basisRateYear: '',
    deliveryFeeRate: '',
  };
}
