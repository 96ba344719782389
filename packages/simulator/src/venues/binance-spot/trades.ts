import type { VenueMarket } from '../../market/venue-market.ts';
import { klinesRoute } from '../binance/klines.ts';
import { aggregateTradesRoute, type BinanceTrades } from '../binance/trades.ts';
import { printPrice, printSize } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import { findListing } from './listings.ts';

/** Decimals that the venue prints at least. */
const DECIMALS = 8;

export function pairTrades(market: VenueMarket, symbol: string): BinanceTrades | undefined {
  const listing = findListing(market, symbol);
  if (listing?.status !== 'TRADING') return undefined;
  const { priceDecimals } = listing;
  const point = priceDecimals === 0 ? '.' : '';
  const zeros = '0'.repeat(Math.max(0, DECIMALS - priceDecimals));
  const price = (value: number): string => printPrice(value, listing);
  return {
    market: spotTrades(market, symbol, listing),
    price,
    tradePrice: (value) => `${price(value)}${point}${zeros}`,
    size: printSize,
    decimals: { price: Math.max(DECIMALS, priceDecimals), size: DECIMALS },
    isContract: false,
  };
}

/** https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints#compressedaggregate-trades-list [D] */
export const aggregateTrades = aggregateTradesRoute({
  path: '/api/v3/aggTrades',
  weight: 4,
  keptMs: Number.POSITIVE_INFINITY,
  find: pairTrades,
});

/** https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints#klinecandlestick-data [D] */
export const klines = klinesRoute({
  path: '/api/v3/klines',
  weightOf: () => 2,
  limitMax: 1000,
  find: pairTrades,
});
