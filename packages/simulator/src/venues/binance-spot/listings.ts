import type { VenueMarket } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';
import { pairsOf, type SpotPair } from '../spot-pairs.ts';

export interface Listing extends SpotPair {
  readonly symbol: string;
  readonly status: 'TRADING' | 'BREAK';
}

/** What trades, and one that is halted: it stays in the list with an empty book. */
export const listingsOf = perMarket((market): readonly Listing[] => {
  const pairs = pairsOf(market, ['USDT', 'USDC'], [['ETH', 'BTC', 5]]);
  const traded = pairs.map((pair) => ({
    ...pair,
    symbol: pair.base + pair.quote,
    status: 'TRADING' as const,
  }));
  return [...traded, { base: 'TRX', quote: 'BTC', symbol: 'TRXBTC', priceDecimals: 8, status: 'BREAK' }];
});

export function findListing(market: VenueMarket, symbol: string | undefined): Listing | undefined {
  return listingsOf(market).find((listing) => listing.symbol === symbol);
}
