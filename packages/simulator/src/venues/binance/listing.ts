import type { Coin } from '../../market/coins.ts';
import { bareCoin, everyListed, type VenueMarket } from '../../market/venue-market.ts';
import { perMarket } from '../per-market.ts';

/** Coins with a second contract, settled in USDC, and its share of positions. */
const USDC_COINS: readonly string[] = ['BTC', 'ETH', 'SOL', 'kPEPE'];
const USDC_SHARE = 0.15;
/** The one contract that ends some day. */
const DATED = { coin: 'BTC', suffix: '_271231', deliveryMs: Date.UTC(2027, 11, 31, 8), share: 0.02 } as const;
/** When a perpetual is delivered: never, as the venue writes it. */
const NEVER_MS = 4_133_404_800_000;
/** Figures of a price that are printed. */
const PRICE_FIGURES = 6;

/** A contract as this venue names it. It counts as the market does: kPEPE is 1000PEPE here. */
export interface Listing {
  readonly coin: Coin;
  readonly symbol: string;
  readonly pair: string;
  readonly base: string;
  readonly quote: 'USDT' | 'USDC';
  readonly contractType: 'PERPETUAL' | 'CURRENT_QUARTER' | 'TRADIFI_PERPETUAL';
  readonly underlyingType: 'COIN' | 'EQUITY';
  readonly status: 'TRADING' | 'SETTLING';
  readonly deliveryMs: number;
  /** Share of the coin's positions at this venue. */
  readonly share: number;
  readonly priceDecimals: number;
}

/** Everything in its list: tradable contracts, contracts that are not crypto, dated ones, and delisted ones. */
export function listingsOf(venue: VenueMarket): readonly Listing[] {
  return everyListed(venue).flatMap((coin) => contractsOf(coin));
}

export const tradedOf = perMarket((market): readonly Listing[] =>
  listingsOf(market).filter(({ status }) => status === 'TRADING'),
);

/** The main contract of a coin comes first. */
export function contractsOf(coin: Coin): readonly [Listing, ...Listing[]] {
  const bare = bareCoin(coin.name);
  const base = bare.perUnit === 1 ? bare.name : `${bare.perUnit}${bare.name}`;
  const isCrypto = coin.category === undefined;
  const hasUsdc = USDC_COINS.includes(coin.name);
  const main: Listing = {
    coin,
    symbol: `${base}USDT`,
    pair: `${base}USDT`,
    base,
    quote: 'USDT',
    contractType: isCrypto ? 'PERPETUAL' : 'TRADIFI_PERPETUAL',
    underlyingType: isCrypto ? 'COIN' : 'EQUITY',
    status: coin.isDelisted ? 'SETTLING' : 'TRADING',
    deliveryMs: NEVER_MS,
    share: hasUsdc ? 1 - USDC_SHARE : 1,
    priceDecimals: Math.max(0, PRICE_FIGURES - 1 - Math.floor(Math.log10(coin.price))),
  };
  const usdc: Listing = {
    ...main,
    symbol: `${base}USDC`,
    pair: `${base}USDC`,
    quote: 'USDC',
    share: USDC_SHARE,
  };
  const dated: Listing = {
    ...main,
    symbol: `${main.symbol}${DATED.suffix}`,
    contractType: 'CURRENT_QUARTER',
    deliveryMs: DATED.deliveryMs,
    share: DATED.share,
  };
  return [main, ...(hasUsdc ? [usdc] : []), ...(coin.name === DATED.coin ? [dated] : [])];
}
