import type { VenueMarket } from '../../market/venue-market.ts';
import { type Listing, priceOf, printPrice, printSize } from './listing.ts';

/** https://www.bitget.com/api-doc/contract/market/Get-All-Symbols-Contracts, as ccxt 4.5.84 shows it [C]; `isRwa` [M]. */
export function printContract(listing: Listing, market: VenueMarket, nowMs: number): object {
  const { coin, symbol, baseCoin, quote, priceDecimals, sizeDecimals, status, isRwa } = listing;
  const step = (10 ** -sizeDecimals).toFixed(sizeDecimals);
  return {
    symbol,
    baseCoin,
    quoteCoin: quote,
    buyLimitPriceRatio: '0.05',
    sellLimitPriceRatio: '0.05',
    feeRateUpRatio: '0.005',
    makerFeeRate: '0.0002',
    takerFeeRate: '0.0006',
    openCostUpRatio: '0.01',
    supportMarginCoins: [quote],
    minTradeNum: step,
    priceEndStep: '1',
    volumePlace: String(sizeDecimals),
    pricePlace: String(priceDecimals),
    sizeMultiplier: step,
    symbolType: 'perpetual',
    minTradeUSDT: '5',
    maxSymbolOrderNum: '200',
    maxProductOrderNum: '1000',
    maxPositionNum: '150',
    symbolStatus: status,
    offTime: '-1',
    limitOpenTime: '-1',
    deliveryTime: '',
    deliveryStartTime: '',
    deliveryPeriod: '',
    launchTime: '',
    fundInterval: String(market.periodHours(coin.name, nowMs)),
    minLever: '1',
    maxLever: String(coin.leverageMax),
    posLimit: '0.1',
    maintainTime: '',
    isRwa: isRwa ? 'YES' : 'NO',
  };
}

/** https://www.bitget.com/api-doc/contract/market/Get-All-Symbol-Ticker, as ccxt 4.5.84 shows it [C]. */
export function printTicker(
  listing: Listing,
  market: VenueMarket,
  nowMs: number,
): Readonly<Record<string, string | null>> {
  const { name } = listing.coin;
  const { mark, index, bid, ask, last } = market.quote(name, nowMs);
  const before = market.quote(name, nowMs - 86_400_000).last;
  const volume = market.volume24h(name, nowMs);
  const price = (value: number): string => printPrice(value, listing);
  const change = (last / before - 1).toFixed(5);
  return {
    symbol: listing.symbol,
    lastPr: price(last),
    askPr: price(ask),
    bidPr: price(bid),
    bidSz: printSize(listing.coin.openInterestUsd / last / 1e4, listing),
    askSz: printSize(listing.coin.openInterestUsd / last / 2e4, listing),
    high24h: price(Math.max(last, before)),
    low24h: price(Math.min(last, before)),
    ts: String(nowMs),
    change24h: change,
    baseVolume: printSize(listing.part * volume.coins, listing),
    quoteVolume: (listing.part * volume.usd).toFixed(4),
    usdtVolume: (listing.part * volume.usd).toFixed(4),
    openUtc: price(before),
    changeUtc24h: change,
    // An average of other venues' prices has more decimals than any of them.
    indexPrice: priceOf(index, listing).toFixed(listing.priceDecimals + 3),
    fundingRate: printRate(market, name, nowMs),
    holdingAmount: printSize(listing.part * market.openInterest(name, nowMs), listing),
    deliveryStartTime: null,
    deliveryTime: null,
    deliveryStatus: 'delivery_normal',
    open24h: price(before),
    markPrice: price(mark),
  };
}

/** https://www.bitget.com/api-doc/contract/market/Get-Current-Funding-Rate, as ccxt 4.5.84 shows it [C]. */
export function printCurrentRate({ symbol, coin }: Listing, market: VenueMarket, nowMs: number): object {
  const { periodHours, nextFundingMs } = market.funding(coin.name, nowMs);
  return {
    symbol,
    fundingRate: printRate(market, coin.name, nowMs),
    fundingRateInterval: String(periodHours),
    nextUpdate: String(nextFundingMs),
    minFundingRate: '-0.003',
    maxFundingRate: '0.003',
  };
}

/** https://www.bitget.com/api-doc/contract/market/Get-Symbol-Next-Funding-Time, as ccxt 4.5.84 shows it [C]. */
export function printFundingTime({ symbol, coin }: Listing, market: VenueMarket, nowMs: number): object {
  const { periodHours, nextFundingMs } = market.funding(coin.name, nowMs);
  return { symbol, nextFundingTime: String(nextFundingMs), ratePeriod: String(periodHours) };
}

/** https://www.bitget.com/api-doc/contract/market/Get-Symbol-Price, as ccxt 4.5.84 shows it [C]. */
export function printSymbolPrice(listing: Listing, market: VenueMarket, nowMs: number): object {
  const { symbol, lastPr, indexPrice, markPrice, ts } = printTicker(listing, market, nowMs);
  return { symbol, price: lastPr, indexPrice, markPrice, ts };
}

function printRate(market: VenueMarket, coin: string, nowMs: number): string {
  return market.funding(coin, nowMs).rate.toFixed(6);
}
