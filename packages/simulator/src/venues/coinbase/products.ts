import type { VenueMarket } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';
import { pairsOf, type SpotPair } from '../spot-pairs.ts';

export interface Product extends SpotPair {
  readonly id: string;
  readonly status: 'online' | 'delisted';
}

/** Tradable products, in dollars and a few other currencies, and one that is delisted. */
export const productsOf = perMarket((market): readonly Product[] => {
  const pairs = pairsOf(
    market,
    ['USD'],
    [
      ['USDT', 'USD', 5],
      ['USDT', 'USDC', 5],
      ['BTC', 'USDT', 2],
      ['ETH', 'BTC', 5],
    ],
  );
  const traded = pairs.map((pair) => ({
    ...pair,
    id: `${pair.base}-${pair.quote}`,
    status: 'online' as const,
  }));
  return [...traded, { id: 'MKR-USD', base: 'MKR', quote: 'USD', priceDecimals: 2, status: 'delisted' }];
});

export function findProduct(market: VenueMarket, id: unknown): Product | undefined {
  return productsOf(market).find((product) => product.id === id && product.status === 'online');
}

/** https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-all-known-trading-pairs [D] */
export function printProduct({ id, base, quote, priceDecimals, status }: Product): object {
  return {
    id,
    base_currency: base,
    quote_currency: quote,
    quote_increment: (10 ** -priceDecimals).toFixed(priceDecimals),
    base_increment: '0.00000001',
    display_name: id,
    min_market_funds: '1',
    margin_enabled: false,
    post_only: false,
    limit_only: false,
    cancel_only: false,
    status,
    status_message: '',
    trading_disabled: status !== 'online',
    fx_stablecoin: false,
    max_slippage_percentage: '0.02000000',
    auction_mode: false,
    high_bid_limit_percentage: '',
  };
}
